//! Many parts at once on one call of Digest.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use hashlane_proto::v1::DigestResponse;
use tokio::sync::{mpsc, oneshot};

use super::body::{Outgoing, RequestBody, Sent};
use super::connection::{Connection, status_text};
use crate::driver::shared_memory::Unread;
use crate::load::payload::PreparedPart;
use crate::protocol::grpc::DIGEST_PATH;
use crate::system::helper_thread::lock;

/// The call of a connection; made when it is needed, and again after its end.
#[derive(Debug, Default)]
pub(super) struct Multiplexer(Mutex<Option<Call>>);

#[derive(Debug)]
struct Call {
    feed: mpsc::UnboundedSender<Outgoing>,
    /// The receivers of answers by part; `None` after the end of the call.
    waiting: Arc<Mutex<Option<Waiting>>>,
    next: u64,
}

type Waiting = HashMap<u64, oneshot::Sender<Result<DigestResponse, String>>>;

impl Multiplexer {
    /// Puts `part` on the call. Returns it as it goes out, and its answer, whose part has the
    /// number 0 as on a call of its own.
    pub(super) fn send(
        &self,
        connection: &Arc<Connection<RequestBody>>,
        sent: &Sent,
        part: Arc<PreparedPart>,
    ) -> (
        Outgoing,
        impl Future<Output = Result<DigestResponse, String>> + use<>,
    ) {
        let (answer, answered) = oneshot::channel();
        let mut call = lock(&self.0);
        let is_over = |call: &mut Call| lock(&call.waiting).is_none();
        if call.as_mut().is_none_or(is_over) {
            *call = Some(open(Arc::clone(connection), sent.clone()));
        }
        let call = call.as_mut().expect("it was opened just now");
        let number = call.next;
        call.next += 1;
        if let Some(waiting) = &mut *lock(&call.waiting) {
            waiting.insert(number, answer);
        }
        let outgoing = Outgoing::new(part, Some(number), sent);
        // If the call is over, the answer's sender is gone too.
        let _ = call.feed.send(outgoing.clone());
        let answer = async {
            let ended = |_| Err("the server ended the call without an answer".to_owned());
            answered.await.unwrap_or_else(ended)
        };
        (outgoing, answer)
    }
}

/// Opens a call, and a task that hands out its answers.
fn open(connection: Arc<Connection<RequestBody>>, sent: Sent) -> Call {
    let (feed, more) = mpsc::unbounded_channel();
    let waiting = Arc::new(Mutex::new(Some(Waiting::new())));
    let unread = Arc::<Unread>::default();
    let body = RequestBody::new(None, Some(more), sent.bandwidth(), Arc::clone(&unread));
    let waiting_of_task = Arc::clone(&waiting);
    tokio::spawn(async move {
        let text = answers(&connection, body, &sent, &unread, &waiting_of_task).await;
        for (_, answer) in lock(&waiting_of_task).take().into_iter().flatten() {
            // Its receiver may have had no patience.
            let _ = answer.send(Err(text.clone()));
        }
    });
    Call {
        feed,
        waiting,
        next: 0,
    }
}

/// Hands out the answers of a call; returns why it ended.
async fn answers(
    connection: &Connection<RequestBody>,
    body: RequestBody,
    sent: &Sent,
    unread: &Unread,
    waiting: &Mutex<Option<Waiting>>,
) -> String {
    let mut answers = match connection.call::<DigestResponse>(DIGEST_PATH, body).await {
        Ok(answers) => answers,
        Err(status) => return status_text(&status),
    };
    loop {
        let mut answer = match sent.next_answer(&mut answers, unread).await {
            Ok(Some(answer)) => answer,
            Ok(None) => return "the server ended the call without an answer".to_owned(),
            Err(status) => return status_text(&status),
        };
        let number = std::mem::take(&mut answer.part);
        let receiver = lock(waiting).as_mut().and_then(|open| open.remove(&number));
        let Some(receiver) = receiver else {
            return format!("an answer for part {number}, which was not sent");
        };
        let _ = receiver.send(Ok(answer));
    }
}
