//! The Unix socket that the server listens on: its mode and its path.

use std::fs::{self, Metadata, Permissions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use socket2::{Domain, SockAddr, Socket, Type};

/// Listens on `path` with the permissions `mode`. No client can connect before the mode is set,
/// regardless of the umask.
///
/// # Errors
/// The path cannot be bound, for example because another server listens there.
pub(crate) fn listen(
    path: &Path,
    mode: u32,
    backlog: i32,
) -> io::Result<(UnixListener, SocketPath)> {
    remove_stale(path)?;
    let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    socket.bind(&SockAddr::unix(path)?)?;
    let socket_path = SocketPath::new(path)?;
    fs::set_permissions(path, Permissions::from_mode(mode))?;
    socket.listen(backlog)?;
    socket.set_nonblocking(true)?;
    Ok((OwnedFd::from(socket).into(), socket_path))
}

/// Removes the socket file of a killed server.
fn remove_stale(path: &Path) -> io::Result<()> {
    let is_socket = fs::symlink_metadata(path).is_ok_and(|m| m.file_type().is_socket());
    if is_socket && is_refused(path)? {
        fs::remove_file(path)?;
    }
    Ok(())
}

/// Whether nobody listens on `path`. Does not wait: if the queue of a listener is full, such as
/// that of a hung server, connecting would block until it accepts.
fn is_refused(path: &Path) -> io::Result<bool> {
    let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    socket.set_nonblocking(true)?;
    let refused = io::ErrorKind::ConnectionRefused;
    let connected = socket.connect(&SockAddr::unix(path)?);
    Ok(connected.is_err_and(|error| error.kind() == refused))
}

/// The path of a socket, while it belongs to that socket.
#[derive(Debug)]
pub(crate) struct SocketPath {
    path: PathBuf,
    /// Device and inode of the socket's file. They are unique while the socket is open, because it
    /// keeps the file even without a name.
    device_and_inode: (u64, u64),
}

impl SocketPath {
    fn new(path: &Path) -> io::Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            device_and_inode: identity(&fs::symlink_metadata(path)?),
        })
    }

    /// Removes the path, unless it belongs to another socket by now, such as a successor's. Call it
    /// while the socket is open.
    ///
    /// # Errors
    /// The path cannot be removed.
    pub(crate) fn remove(&self) -> io::Result<()> {
        let found = fs::symlink_metadata(&self.path)?;
        if identity(&found) == self.device_and_inode {
            fs::remove_file(&self.path)?;
        }
        Ok(())
    }
}

fn identity(file: &Metadata) -> (u64, u64) {
    (file.dev(), file.ino())
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use super::*;

    /// Connecting to such a socket blocks until its server accepts.
    #[test]
    fn a_socket_whose_queue_is_full_is_in_use() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("socket");
        let hung = Socket::new(Domain::UNIX, Type::STREAM, None).unwrap();
        hung.bind(&SockAddr::unix(&path).unwrap()).unwrap();
        hung.listen(0).unwrap();
        let connect = || {
            let client = Socket::new(Domain::UNIX, Type::STREAM, None)?;
            client.set_nonblocking(true)?;
            client.connect(&SockAddr::unix(&path)?)?;
            Ok(client)
        };
        let mut waiting = Vec::new();
        let error: io::Error = loop {
            match connect() {
                Ok(client) => waiting.push(client),
                Err(error) => break error,
            }
        };
        assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
        let (done, listened) = mpsc::channel();
        let socket = path.clone();
        thread::spawn(move || done.send(listen(&socket, 0o600, 1)));
        let listened = listened.recv_timeout(Duration::from_secs(30));
        let error = listened.expect("it waits for the queue").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
        assert!(path.exists());
    }
}
