//! A call of one message, from its request to its status.

use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::Poll;

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body as _;
use tonic::{Code, Status};

use super::hash_service;
use super::health_and_reflection::{SMALL_CALL_BYTES, Services};
use super::request_body::{Gathering, RequestBody, SMALL_MESSAGE_BYTES_MAX};
use crate::call::{Call, Life};
use crate::http2::{Gone, Link, Receive, Respond};
use crate::limits::UNARY_CALL_BYTES;
use crate::metrics::grpc::{HASH_SERVICE, Method};
use crate::status;

/// A call that is being answered.
struct Answering {
    call: Rc<Call>,
    life: Rc<Life>,
    respond: Respond,
    /// The request of a call whose handler reads and answers in its own order.
    request: Option<Rc<RefCell<Gathering>>>,
}

impl Drop for Answering {
    fn drop(&mut self) {
        if let Some(request) = &self.request {
            request.borrow_mut().end();
        }
    }
}

/// Answers a call, from the request to the status.
pub(crate) async fn answer(services: Rc<Services>, call: Call, receive: Receive, respond: Respond) {
    let call = Rc::new(call);
    let mut answering = Answering {
        respond,
        request: None,
        life: Rc::new(Life::new(&call, &receive)),
        call,
    };
    match answering.run(&services, receive).await {
        Ok(code) => answering.call.end(code),
        Err(Some(status)) => answering.life.end(&mut answering.respond, &status),
        Err(None) => {}
    }
}

/// Errors say why the call ends without an answer: the server's status, or `None` if the client is
/// gone.
impl Answering {
    async fn run(&mut self, services: &Services, receive: Receive) -> Result<Code, Option<Status>> {
        let call = Rc::clone(&self.call);
        let state = call.state();
        let of_hash = call.method.service() == HASH_SERVICE;
        let message_bytes_max = if of_hash {
            state.process.settings.message_bytes_max
        } else {
            SMALL_MESSAGE_BYTES_MAX
        };
        let taken = if of_hash {
            UNARY_CALL_BYTES
        } else {
            SMALL_CALL_BYTES
        };
        let permit = call.client().unary_bytes.take(taken);
        // Held until the call ends, because the message lives as long as its handler.
        let Some(permit) = permit.or_else(|| call.probe()) else {
            let refusal = status::no_unary_bytes(&call.client().unary_bytes, taken);
            return Err(Some(refusal));
        };
        let permit = Rc::new(RefCell::new(permit));
        let link = Rc::clone(receive.link());
        let life = Rc::clone(&self.life);
        let gathered = of_hash.then(|| Rc::clone(&permit));
        let mut gathering = Gathering::new(receive, Rc::clone(&life), gathered, message_bytes_max);
        let paid = poll_fn(move |cx| life.poll_paid(cx));
        let own = |status: Status| {
            let own = status::from_tonic(&status, message_bytes_max);
            own.unwrap_or(status)
        };
        if of_hash {
            // Boxed, so that calls of the other services do not reserve space for it.
            let answer = Box::pin(async {
                let message = gathering.message().await.map_err(own)?;
                hash_service::answer(&call, message, &link).await
            });
            let answer = self.unless_ended(answer).await?;
            self.unless_ended(paid).await?;
            // Its memory is held until the client has taken it.
            let (frames, _permit) = answer?;
            self.write_answer(frames, &link).await?;
            call.count_sent(1);
            self.respond.trailers(status::trailers(&Status::ok("")));
            return Ok(Code::Ok);
        }
        let gathering = Rc::new(RefCell::new(gathering));
        if call.method == Method::Reflection {
            self.request = Some(Rc::clone(&gathering));
        }
        // Without the request's headers: nothing needs them, and they would keep their read buffer
        // alive.
        let path = format!("/{}/{}", call.method.service(), call.method.name());
        let request = Request::post(path).body(RequestBody::new(gathering));
        let request = request.map_err(|error| Status::internal(error.to_string()))?;
        let response = (services.handler(call.method))(request);
        let (head, mut body) = self.unless_ended(response).await?.into_parts();
        self.unless_ended(paid).await?;
        if let Some(status) = Status::from_header_map(&head.headers) {
            return Err(Some(own(status)));
        }
        self.respond
            .headers(Response::from_parts(head, ()), false)
            .map_err(|Gone| None)?;
        loop {
            let frame = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx));
            let Some(frame) = self.unless_ended(frame).await? else {
                self.respond.trailers(status::trailers(&Status::ok("")));
                return Ok(Code::Ok);
            };
            match frame?.into_data() {
                Ok(bytes) => {
                    self.write(bytes).await?;
                    call.count_sent(1);
                }
                Err(frame) => {
                    let trailers = frame.into_trailers().unwrap_or_default();
                    let status = Status::from_header_map(&trailers);
                    self.respond.trailers(trailers);
                    let status = status.unwrap_or_else(|| Status::unknown(""));
                    if status.code() != Code::Ok {
                        call.refuse(&status);
                    }
                    return Ok(status.code());
                }
            }
        }
    }

    /// Waits for `future`, unless an event ends the call first.
    async fn unless_ended<T>(
        &mut self,
        future: impl Future<Output = T>,
    ) -> Result<T, Option<Status>> {
        let mut future = pin!(future);
        poll_fn(|cx| {
            // Neither work nor refuse for a client that has left.
            if self.respond.is_gone() {
                return Poll::Ready(Err(None));
            }
            match future.as_mut().poll(cx) {
                Poll::Ready(value) => Poll::Ready(Ok(value)),
                Poll::Pending => {
                    if self.respond.poll_gone(cx).is_ready() {
                        return Poll::Ready(Err(None));
                    }
                    self.life.poll_end(cx, None).map(|status| Err(Some(status)))
                }
            }
        })
        .await
    }

    /// Writes an answer.
    async fn write_answer(
        &mut self,
        frames: Vec<Bytes>,
        link: &Link,
    ) -> Result<(), Option<Status>> {
        self.respond.grpc_headers().map_err(|Gone| None)?;
        for frame in frames {
            self.unless_ended(link.next_turn()).await?;
            self.write(frame).await?;
        }
        Ok(())
    }

    /// Writes bytes as far as the client takes them, and waits for it to take the rest.
    async fn write(&mut self, mut bytes: Bytes) -> Result<(), Option<Status>> {
        while !bytes.is_empty() {
            poll_fn(|cx| {
                let written = self.life.poll_write(cx, &mut self.respond, &mut bytes);
                if let Poll::Ready(written) = written {
                    return Poll::Ready(written.map_err(|Gone| None));
                }
                self.life.poll_end(cx, None).map(|status| Err(Some(status)))
            })
            .await?;
        }
        Ok(())
    }
}
