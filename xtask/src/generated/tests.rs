//! Writing and comparing on a folder of its own.

use super::*;

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("xtask-generated-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("out")).unwrap();
    folder
}

fn one_file(text: &str) -> Files {
    let mut files = Files::default();
    files.own("out");
    files.push(("out/a.yaml".into(), text.to_owned()));
    files
}

#[test]
fn what_was_written_is_current_and_what_was_edited_is_not() {
    let root = folder("edit");
    let files = one_file("a: 1\n");
    assert!(files.apply(&root, true).is_err());
    files.apply(&root, false).unwrap();
    files.apply(&root, true).unwrap();
    fs::write(root.join("out/a.yaml"), "a: 2\n").unwrap();
    assert!(files.apply(&root, true).unwrap_err().to_string().contains("out/a.yaml"));
    fs::remove_dir_all(root).unwrap();
}

#[test]
fn a_file_that_is_generated_no_more_is_stale_and_goes() {
    let root = folder("gone");
    let files = one_file("a: 1\n");
    files.apply(&root, false).unwrap();
    fs::write(root.join("out/old.yaml"), "").unwrap();
    assert!(files.apply(&root, true).unwrap_err().to_string().contains("out/old.yaml"));
    files.apply(&root, false).unwrap();
    assert!(!root.join("out/old.yaml").exists());
    fs::remove_dir_all(root).unwrap();
}
