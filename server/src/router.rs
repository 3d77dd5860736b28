//! Routes a call once it may begin: Digest and Verify are read frame by frame, all other calls
//! message by message (unary/).

use std::rc::Rc;

use futures_util::future::LocalBoxFuture;

use crate::call::{Peer, Stream};
use crate::decode::MessageKind;
use crate::drain::Phase;
use crate::http2::{self, Receive, Request, Respond};
use crate::metrics::grpc::Method;
use crate::unary::{self, Services};

/// Starts the calls of one connection.
pub(crate) struct Router {
    peer: Rc<Peer>,
    services: Rc<Services>,
}

impl Router {
    pub(crate) fn new(peer: Rc<Peer>, services: &Rc<Services>) -> Self {
        Self {
            peer,
            services: Rc::clone(services),
        }
    }
}

impl http2::Calls for Router {
    fn begin(
        &self,
        request: Request,
        receive: Receive,
        mut respond: Respond,
    ) -> Option<LocalBoxFuture<'static, ()>> {
        let call = self.peer.begin(&request, &receive, &mut respond)?;
        let kind = match call.method {
            Method::Digest => MessageKind::Digest,
            Method::Verify => MessageKind::Verify,
            _ => {
                let services = Rc::clone(&self.services);
                return Some(Box::pin(unary::answer(services, call, receive, respond)));
            }
        };
        let stream = Stream::begin(kind, receive, respond, call).ok()?;
        Some(Box::pin(stream))
    }

    fn hash(&self) -> bool {
        self.peer.end_turn()
    }

    fn enter(&self, phase: Phase) {
        self.peer.enter(phase);
    }
}
