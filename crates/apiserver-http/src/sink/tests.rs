//! The store on disk: read back, locked, foreign.

use super::*;

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("apiserver-sink-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self) -> PathBuf {
        self.0.join("store.redb")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn batch(revision: u64, name: &str, kept: bool) -> Batch {
    let key = Key::new("hub", "/configmaps", Some("n"), name);
    let object = format!("{{\"metadata\":{{\"name\":\"{name}\",\"resourceVersion\":\"{revision}\"}}}}");
    Batch { revision, entries: vec![(key, kept.then(|| Bytes::from(object)))] }
}

#[test]
fn a_group_is_read_back_with_its_newest_revision() {
    let scratch = Scratch::new("group");
    let (mut sink, store) = RedbSink::open(&scratch.file()).unwrap();
    assert_eq!(store.revision(), 0);
    sink.write(&[batch(1, "a", true), batch(2, "b", true), batch(3, "a", false)]).unwrap();
    drop(sink);
    let (_, store) = RedbSink::open(&scratch.file()).unwrap();
    assert_eq!(store.revision(), 3);
    assert!(store.get(&Key::new("hub", "/configmaps", Some("n"), "a")).is_none());
    assert_eq!(store.get(&Key::new("hub", "/configmaps", Some("n"), "b")).unwrap().revision, 2);
}

#[test]
fn a_store_in_use_is_refused() {
    let scratch = Scratch::new("lock");
    let _held = RedbSink::open(&scratch.file()).unwrap();
    assert!(matches!(RedbSink::open(&scratch.file()), Err(SinkError::InUse { .. })));
}

/// A process that was killed while it made its store has acknowledged nothing.
#[test]
fn a_store_that_was_never_finished_is_made_anew() {
    let scratch = Scratch::new("unfinished");
    for left in [&b""[..], b"the first bytes of some"] {
        std::fs::write(scratch.0.join("store.unfinished"), left).unwrap();
        let (mut sink, store) = RedbSink::open(&scratch.file()).unwrap();
        assert_eq!(store.revision(), 0);
        sink.write(&[batch(1, "a", true)]).unwrap();
        drop(sink);
        assert_eq!(RedbSink::open(&scratch.file()).unwrap().1.revision(), 1);
        assert!(!scratch.0.join("store.unfinished").exists());
        std::fs::remove_file(scratch.file()).unwrap();
    }
}

#[test]
fn files_that_are_not_ours_are_refused_and_left_alone() {
    let scratch = Scratch::new("foreign");
    std::fs::write(scratch.file(), "something else entirely").unwrap();
    let refused = RedbSink::open(&scratch.file()).unwrap_err();
    assert!(matches!(refused, SinkError::Foreign { .. } | SinkError::Damaged { .. }), "{refused}");
    assert_eq!(std::fs::read_to_string(scratch.file()).unwrap(), "something else entirely");
}

#[test]
fn a_store_of_another_format_is_refused_by_name() {
    let scratch = Scratch::new("format");
    let (sink, _) = RedbSink::open(&scratch.file()).unwrap();
    let transaction = sink.database.begin_write().unwrap();
    transaction.open_table(META).unwrap().insert(FORMAT_KEY, "network-services/9").unwrap();
    transaction.commit().unwrap();
    drop(sink);
    let refused = RedbSink::open(&scratch.file()).unwrap_err().to_string();
    assert!(refused.contains("network-services/9"), "{refused}");
}
