//! State shared by the operations.

use std::sync::Arc;

use hashlane_client::Client;
use s3s::S3Result;

use crate::hashlane::Hashlane;
use crate::multipart::Uploads;
use crate::store::Store;
use crate::{error, log};

/// An object store in a folder, with digests from hashlane.
#[derive(Debug, Clone)]
pub struct Gateway(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    hashlane: Hashlane,
    store: Arc<Store>,
    uploads: Arc<Uploads>,
}

impl Gateway {
    pub fn new(hashlane: Hashlane, store: Store) -> Self {
        Self(Arc::new(Inner {
            hashlane,
            store: Arc::new(store),
            uploads: Arc::default(),
        }))
    }

    pub fn client(&self) -> &Client {
        &self.0.hashlane.client
    }

    pub fn hashlane(&self) -> &Hashlane {
        &self.0.hashlane
    }

    pub fn uploads(&self) -> &Arc<Uploads> {
        &self.0.uploads
    }

    pub fn store(&self) -> &Arc<Store> {
        &self.0.store
    }
}

/// Runs work that writes to the folder to its end, even if the client disconnects.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> S3Result<T> + Send + 'static,
) -> S3Result<T> {
    let done = tokio::task::spawn_blocking(log::with_request(work)).await;
    done.map_err(|fault| error::io(fault.into()))?
}
