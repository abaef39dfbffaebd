//! The two signals that ask the program to end.

use tokio::signal::unix::{SignalKind, signal};

/// Returns when the program is asked to end, by `SIGTERM` or `SIGINT`.
pub(crate) async fn asked_to_end() {
    let (Ok(mut terminate), Ok(mut interrupt)) =
        (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        tracing::warn!("signals cannot be handled here; the program ends only by force");
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}
