//! The Unix socket that the server listens on: its mode and its path.

use std::fs::{self, Metadata, Permissions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::{UnixListener, UnixStream};
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
    let is_refused = |error: io::Error| error.kind() == io::ErrorKind::ConnectionRefused;
    if is_socket && UnixStream::connect(path).is_err_and(is_refused) {
        fs::remove_file(path)?;
    }
    Ok(())
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
