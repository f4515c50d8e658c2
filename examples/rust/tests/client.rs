//! The client against a server of this test, which answers as it is told and remembers what it was sent.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpListener,
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use keyhearth_example::{Client, Error, Reason, Stamper, Submitted};
use serde_json::{json, Value};
use sha2::{Digest as _, Sha256};

const COMPLETED: &str = r#""result":{"createWalletResult":{"walletId":"w1"}}"#;
const BUSY: &str = r#"{"code":14,"message":"busy","details":[]}"#;

struct Marker;

impl Stamper for Marker {
    fn stamp(&self, body: &[u8]) -> (&'static str, String) {
        ("X-Stamp", format!("stamp of {} bytes", body.len()))
    }
}

#[derive(Clone, Debug, PartialEq)]
struct Received {
    path: String,
    stamp: String,
    body: String,
}

type Answer = (&'static str, String);

/// Gives the answers in order, and repeats the last one. In an answer, FINGERPRINT stands for the
/// fingerprint of the first request.
fn serve(answers: Vec<Answer>) -> (Client<Marker>, Arc<Mutex<Vec<Received>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://{}/public/v1/", listener.local_addr().unwrap());
    let received = Arc::new(Mutex::new(Vec::<Received>::new()));
    let log = received.clone();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = BufReader::new(stream.unwrap());
            let mut lines = Vec::new();
            loop {
                let mut line = String::new();
                stream.read_line(&mut line).unwrap();
                match line.trim_end() {
                    "" => break,
                    line => lines.push(line.to_owned()),
                }
            }
            let Some(request_line) = lines.first() else { continue };
            let header = |name: &str| {
                lines.iter().find_map(|line| {
                    let (key, value) = line.split_once(": ")?;
                    key.eq_ignore_ascii_case(name).then(|| value.to_owned())
                })
            };
            let length = header("content-length").unwrap().parse().unwrap();
            let mut body = vec![0; length];
            stream.read_exact(&mut body).unwrap();
            let mut log = log.lock().unwrap();
            log.push(Received {
                path: request_line.split(' ').nth(1).unwrap().to_owned(),
                stamp: header("x-stamp").unwrap(),
                body: String::from_utf8(body).unwrap(),
            });
            let (head, answer) = &answers[(log.len() - 1).min(answers.len() - 1)];
            let fingerprint = format!("sha256:{}", hex::encode(Sha256::digest(&log[0].body)));
            let answer = answer.replace("FINGERPRINT", &fingerprint);
            let length = answer.len();
            write!(
                stream.get_mut(),
                "HTTP/1.1 {head}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{answer}"
            )
            .unwrap();
        }
    });
    let mut client = Client::new(&base_url, "org", Marker).unwrap();
    client.poll_interval = Duration::from_millis(1);
    (client, received)
}

fn ok(body: impl Into<String>) -> Answer {
    ("200 OK", body.into())
}

fn activity(status: &str, more: &str) -> String {
    format!(
        r#"{{"activity":{{"id":"a","organizationId":"org","fingerprint":"FINGERPRINT","status":"ACTIVITY_STATUS_{status}",{more}}}}}"#
    )
}

fn submit(client: &Client<Marker>) -> Result<Submitted, Error> {
    client.submit("create_wallet", "ACTIVITY_TYPE_CREATE_WALLET", json!({ "walletName": "w" }))
}

#[test]
fn a_submission_waits_until_its_activity_ends() {
    let (client, received) = serve(vec![
        ok(activity("CREATED", r#""result":{}"#)),
        ok(activity("PENDING", r#""result":{}"#)),
        ok(activity("COMPLETED", COMPLETED)),
    ]);
    assert_eq!(submit(&client).unwrap().result, json!({ "walletId": "w1" }));
    let received = received.lock().unwrap();
    let envelope: Value = serde_json::from_str(&received[0].body).unwrap();
    assert_eq!(received[0].path, "/public/v1/submit/create_wallet");
    assert_eq!(envelope["type"], "ACTIVITY_TYPE_CREATE_WALLET");
    assert_eq!(envelope["organizationId"], "org");
    assert_eq!(envelope["parameters"], json!({ "walletName": "w" }));
    assert!(envelope["timestampMs"].as_str().unwrap().parse::<u64>().is_ok());
    assert_eq!(received[2].path, "/public/v1/query/get_activity");
    assert!(received[2].body.contains(r#""activityId":"a""#));
}

#[test]
fn an_activity_that_stays_pending_is_given_up() {
    let (mut client, _) = serve(vec![ok(activity("PENDING", r#""result":{}"#))]);
    client.poll_timeout = Duration::from_millis(20);
    assert!(matches!(submit(&client), Err(Error::Unfinished(_))));
}

#[test]
fn an_activity_without_a_result_is_a_typed_error() {
    let outcome = |status: &str| {
        let (client, _) = serve(vec![ok(activity(status, r#""result":{}"#))]);
        submit(&client).unwrap_err()
    };
    assert!(matches!(outcome("REJECTED"), Error::Rejected(_)));
    assert!(matches!(outcome("CONSENSUS_NEEDED"), Error::ConsensusNeeded(_)));
    assert!(matches!(outcome("AUTHENTICATORS_NEEDED"), Error::Unfinished(_)));
    assert!(matches!(outcome("SOMETHING_NEW"), Error::Unfinished(_)));
}

#[test]
fn a_failed_activity_tells_why() {
    let failure = r#""result":{},"failure":{"code":3,"message":"no","details":[{"@type":"other"},{"code":"DIGEST_INVALID","field":"parameters.payload","docs":"/errors#digest-invalid"}]}"#;
    let (client, _) = serve(vec![ok(activity("FAILED", failure))]);
    let Err(Error::Failed(_, reason)) = submit(&client) else { panic!("did not fail") };
    let expected = Reason {
        code: "DIGEST_INVALID".into(),
        message: "no".into(),
        field: Some("parameters.payload".into()),
        docs: Some("/errors#digest-invalid".into()),
    };
    assert_eq!(reason, expected);
}

#[test]
fn the_answer_must_be_about_the_request() {
    for body in [
        activity("COMPLETED", COMPLETED).replace("FINGERPRINT", "sha256:00"),
        activity("COMPLETED", r#""result":{}"#),
        activity("COMPLETED", r#""result":{"createWalletResult":"w1"}"#),
        "{}".into(),
        "[]".into(),
        "".into(),
        "<!doctype html>".into(),
    ] {
        let (client, _) = serve(vec![ok(&body[..])]);
        let error = submit(&client).unwrap_err();
        assert!(matches!(error, Error::UnexpectedAnswer { .. }), "{body}: {error}");
    }
}

#[test]
fn a_vote_returns_the_activity_that_it_is_about() {
    let answer = activity("COMPLETED", COMPLETED).replace("FINGERPRINT", "sha256:11");
    let (client, _) = serve(vec![ok(answer)]);
    let vote = |fingerprint: &str| {
        let parameters = json!({ "fingerprint": fingerprint });
        client.submit("approve_activity", "ACTIVITY_TYPE_APPROVE_ACTIVITY", parameters)
    };
    assert!(vote("sha256:11").is_ok());
    assert!(vote("sha256:22").is_err());
}

#[test]
fn a_busy_service_gets_the_same_bytes_again() {
    let (client, received) = serve(vec![
        ("503 Busy\r\nRetry-After: 0", BUSY.into()),
        ("429 Busy\r\nRetry-After: 0", BUSY.into()),
        ok(activity("COMPLETED", COMPLETED)),
    ]);
    submit(&client).unwrap();
    let received = received.lock().unwrap();
    assert_eq!(received.len(), 3);
    assert!(received.iter().all(|each| *each == received[0]));
}

#[test]
fn a_busy_service_is_not_asked_forever() {
    for (head, requests) in [
        ("503 Busy\r\nRetry-After: 0", 4),
        ("503 Busy\r\nRetry-After: 3600", 1),
        ("503 Busy\r\nRetry-After: -1", 1),
        ("503 Busy\r\nRetry-After: soon", 1),
        ("503 Busy", 1),
        ("500 Broken\r\nRetry-After: 0", 1),
    ] {
        let (client, received) = serve(vec![(head, BUSY.into())]);
        assert!(matches!(submit(&client), Err(Error::Refused { .. })));
        assert_eq!(received.lock().unwrap().len(), requests, "{head}");
    }
}

#[test]
fn an_error_answer_is_typed() {
    let body = r#"{"code":3,"message":"must be a UUID","details":[{"@type":"keyhearth.dev/ErrorDetail","code":"FIELD_INVALID","field":"organizationId","docs":"/errors#field-invalid"}]}"#;
    let (client, _) = serve(vec![("400 Bad Request", body.into())]);
    let Err(Error::Refused { http_status, reason }) = client.query("whoami", json!({})) else {
        panic!("was not refused")
    };
    assert_eq!((http_status, &reason.code[..]), (400, "FIELD_INVALID"));
    assert_eq!(reason.field.as_deref(), Some("organizationId"));
    assert_eq!(reason.docs.as_deref(), Some("/errors#field-invalid"));
}

#[test]
fn a_redirect_is_not_followed() {
    let (client, received) = serve(vec![("307 Elsewhere\r\nLocation: /elsewhere", "".into())]);
    assert!(matches!(client.query("whoami", json!({})), Err(Error::UnexpectedAnswer { .. })));
    assert_eq!(received.lock().unwrap().len(), 1);
}

#[test]
fn a_service_that_is_not_there_is_unreachable() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let client = Client::new(&format!("http://127.0.0.1:{port}"), "org", Marker).unwrap();
    assert!(matches!(client.query("whoami", json!({})), Err(Error::Unreachable(_))));
}

#[test]
fn a_base_url_must_be_complete() {
    for base_url in ["", "localhost:3000", "/public", "ftp://localhost", "http://"] {
        assert!(matches!(Client::new(base_url, "org", Marker), Err(Error::InvalidBaseUrl(_))));
    }
}
