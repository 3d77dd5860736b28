//! Routes a request: Digest and Verify are read frame by frame (call/), all other calls message by
//! message (unary/). Without gRPC there is PUT /v1/digest (put/).

use std::rc::Rc;

use bytes::Bytes;
use futures_util::future::LocalBoxFuture;
use http::Response;

use crate::call::{Peer, Stream};
use crate::decode::MessageKind;
use crate::drain::Phase;
use crate::http2::{self, Receive, Request, Respond};
use crate::metrics::grpc::Method;
use crate::put;
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
        if put::is_for(&request) {
            let peer = Rc::clone(&self.peer);
            return Some(Box::pin(put::answer_stream(
                peer, request, receive, respond,
            )));
        }
        let (call, memory) = self.peer.begin(&request, &receive, &mut respond)?;
        let kind = match call.method {
            Method::Digest => MessageKind::Digest,
            Method::Verify => MessageKind::Verify,
            _ => {
                let services = Rc::clone(&self.services);
                return Some(Box::pin(unary::answer(services, call, receive, respond)));
            }
        };
        let stream = Stream::begin(kind, receive, respond, call, memory).ok()?;
        Some(Box::pin(stream))
    }

    fn answer(
        &self,
        request: Request,
        receive: Receive,
    ) -> LocalBoxFuture<'static, Option<Response<Bytes>>> {
        Box::pin(put::answer(Rc::clone(&self.peer), request, receive))
    }

    fn enter(&self, phase: Phase) {
        self.peer.enter(phase);
    }
}
