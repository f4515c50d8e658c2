use std::{
    thread::sleep,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use serde_json::{json, Value};
use sha2::{Digest as _, Sha256};
use ureq::{http::Response, Agent, Body};

use crate::{Activity, Error, Reason, Stamper, Submitted};

const MAX_RETRIES: u32 = 3;
const MAX_RETRY_DELAY: Duration = Duration::from_secs(10);
const MAX_ANSWER_BYTES: u64 = 32 << 20;

/// Acts with one credential in one organization.
pub struct Client<S> {
    /// Where the requests act.
    pub organization_id: String,
    /// How often to read an activity that outlives its request, and for how long.
    pub poll_interval: Duration,
    pub poll_timeout: Duration,
    base_url: String,
    stamper: S,
    agent: Agent,
}

impl<S: Stamper> Client<S> {
    /// A client of the service at `base_url`, such as `http://localhost:3000`. One request may take 30
    /// seconds, and waiting for an unfinished activity a minute.
    pub fn new(base_url: &str, organization_id: &str, stamper: S) -> Result<Self, Error> {
        let host = base_url.strip_prefix("https://").or(base_url.strip_prefix("http://"));
        if host.unwrap_or_default().trim_matches('/').is_empty() {
            return Err(Error::InvalidBaseUrl(base_url.to_owned()));
        }
        let config = Agent::config_builder()
            .timeout_global(Some(Duration::from_secs(30)))
            .http_status_as_error(false)
            // The API never redirects. Following one would show the stamped request to another host.
            .max_redirects(0)
            .max_redirects_will_error(false);
        Ok(Self {
            organization_id: organization_id.to_owned(),
            poll_interval: Duration::from_millis(500),
            poll_timeout: Duration::from_secs(60),
            // Some clients of this API want its path as part of the address.
            base_url: base_url.trim_end_matches('/').trim_end_matches("/public/v1").to_owned(),
            stamper,
            agent: config.build().into(),
        })
    }

    /// Asks the endpoint `name`, such as `whoami`. `parameters` is an object without `organizationId`.
    pub fn query(&self, name: &str, parameters: Value) -> Result<Value, Error> {
        let mut body = parameters;
        body["organizationId"] = json!(self.organization_id);
        self.post(&format!("/public/v1/query/{name}"), &body.to_string())
    }

    /// Asks for an activity of the given type at the endpoint `name`, and waits until it ends.
    pub fn submit(
        &self,
        name: &str,
        activity_type: &str,
        parameters: Value,
    ) -> Result<Submitted, Error> {
        let body = json!({
            "type": activity_type,
            "timestampMs": timestamp_ms().to_string(),
            "organizationId": self.organization_id,
            "parameters": parameters,
        })
        .to_string();
        let path = format!("/public/v1/submit/{name}");
        let first = self.activity(&path, &body)?;
        // The answer must be about these bytes. The answer to a vote is about the activity that was
        // voted on.
        let expected = match activity_type {
            "ACTIVITY_TYPE_APPROVE_ACTIVITY" | "ACTIVITY_TYPE_REJECT_ACTIVITY" => {
                parameters["fingerprint"].as_str().unwrap_or_default().to_owned()
            }
            _ => format!("sha256:{}", hex::encode(Sha256::digest(&body))),
        };
        if first.fingerprint != expected {
            return Err(self.unexpected(&path, "the activity of another request"));
        }
        let activity = completed(self.poll(first)?)?;
        match activity.result() {
            Some(result) => Ok(Submitted { result: result.clone(), activity }),
            None => Err(self.unexpected(&path, "a completed activity without a result")),
        }
    }

    /// Reads the activity until it ends, or time is up.
    fn poll(&self, first: Activity) -> Result<Activity, Error> {
        const PATH: &str = "/public/v1/query/get_activity";
        let give_up_at = Instant::now() + self.poll_timeout;
        let mut activity = first;
        while activity.is_in_progress() && Instant::now() + self.poll_interval <= give_up_at {
            sleep(self.poll_interval);
            let body = json!({
                "organizationId": activity.organization_id,
                "activityId": activity.id,
            });
            let next = self.activity(PATH, &body.to_string())?;
            if next.id != activity.id || next.fingerprint != activity.fingerprint {
                return Err(self.unexpected(PATH, "another activity"));
            }
            activity = next;
        }
        Ok(activity)
    }

    fn activity(&self, path: &str, body: &str) -> Result<Activity, Error> {
        let answer = self.post(path, body)?;
        Activity::parse(&answer["activity"]).ok_or_else(|| self.unexpected(path, "no activity"))
    }

    /// Stamps the body once. If the service is busy and says when to come back, it sends the same bytes
    /// again: they are the same activity, which the service executes once.
    fn post(&self, path: &str, body: &str) -> Result<Value, Error> {
        let (header, stamp) = self.stamper.stamp(body.as_bytes());
        let url = format!("{}{path}", self.base_url);
        let mut retries = 0;
        loop {
            let mut response = self
                .agent
                .post(&url)
                .header("Content-Type", "application/json")
                .header(header, &stamp)
                .send(body)
                .map_err(unreachable)?;
            let answer = response.body_mut().with_config().limit(MAX_ANSWER_BYTES).read_to_vec();
            let answer = serde_json::from_slice::<Value>(&answer.map_err(unreachable)?).ok();
            let http_status = response.status().as_u16();
            if http_status == 200 {
                return answer
                    .filter(Value::is_object)
                    .ok_or_else(|| self.unexpected(path, "not a JSON object"));
            }
            match retry_delay(&response) {
                Some(delay) if retries < MAX_RETRIES => sleep(delay),
                _ => {
                    let reason = answer.as_ref().and_then(Reason::parse);
                    let reason = reason
                        .ok_or_else(|| self.unexpected(path, "an error without a message"))?;
                    return Err(Error::Refused { http_status, reason });
                }
            }
            retries += 1;
        }
    }

    fn unexpected(&self, path: &str, reason: &'static str) -> Error {
        Error::UnexpectedAnswer { url: format!("{}{path}", self.base_url), reason }
    }
}

fn unreachable(error: ureq::Error) -> Error {
    Error::Unreachable(Box::new(error))
}

/// The activity if it is completed, and the error of its status if it is not.
fn completed(activity: Activity) -> Result<Activity, Error> {
    let activity = match &activity.status[..] {
        "ACTIVITY_STATUS_COMPLETED" => return Ok(activity),
        _ => Box::new(activity),
    };
    Err(match &activity.status[..] {
        "ACTIVITY_STATUS_CONSENSUS_NEEDED" => Error::ConsensusNeeded(activity),
        "ACTIVITY_STATUS_REJECTED" => Error::Rejected(activity),
        "ACTIVITY_STATUS_FAILED" => {
            let reason = Reason::parse(&activity.json["failure"]).unwrap_or_default();
            Error::Failed(activity, reason)
        }
        _ => Error::Unfinished(activity),
    })
}

fn retry_delay(response: &Response<Body>) -> Option<Duration> {
    if !matches!(response.status().as_u16(), 429 | 503) {
        return None;
    }
    let retry_after = response.headers().get("retry-after")?.to_str().ok()?;
    let delay = Duration::from_secs(retry_after.parse::<u16>().ok()?.into());
    (delay <= MAX_RETRY_DELAY).then_some(delay)
}

fn timestamp_ms() -> u128 {
    // A clock before 1970 gives a time that the service refuses, and its message says so.
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis()
}
