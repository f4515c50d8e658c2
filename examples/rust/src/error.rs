use std::{error, fmt};

use serde_json::Value;

use crate::Activity;

/// Everything that can go wrong. Match on the variant, and in [`Error::Refused`] on the code.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The service refused the request.
    Refused {
        http_status: u16,
        reason: Reason,
    },
    /// Others must approve the activity. Give them its fingerprint.
    ConsensusNeeded(Box<Activity>),
    /// Somebody whose vote counts rejected the activity.
    Rejected(Box<Activity>),
    /// The activity was allowed, but could not be done.
    Failed(Box<Activity>, Reason),
    /// The activity is not done: it did not end in time, or stopped at a status that is not known here.
    Unfinished(Box<Activity>),
    /// What answered does not speak this API, or answered something else than it was asked.
    UnexpectedAnswer {
        url: String,
        reason: &'static str,
    },
    /// There was no answer.
    Unreachable(Box<ureq::Error>),
    /// The API key cannot be used. The text never shows it.
    InvalidCredential(String),
    InvalidBaseUrl(String),
}

/// Why the service refused a request, or why an activity failed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reason {
    /// Stable, such as `FIELD_INVALID`. Empty if the service gave none.
    pub code: String,
    /// For people; it may change.
    pub message: String,
    /// The path of the wrong field, such as `parameters.accounts[0].curve`.
    pub field: Option<String>,
    /// The page that explains the code, as a path of the site.
    pub docs: Option<String>,
}

impl Reason {
    /// Reads the shape that answers and failures share. Without a message it is none.
    pub(crate) fn parse(json: &Value) -> Option<Self> {
        let message = json["message"].as_str()?.to_owned();
        // The first detail with a code is for programs. Details of other forms may come before it.
        let details = json["details"].as_array().map_or(&[][..], |details| details);
        let detail = details.iter().find(|detail| detail["code"].is_string());
        let text = |name: &str| Some(detail?[name].as_str()?.to_owned());
        Some(Self {
            code: text("code").unwrap_or_default(),
            message,
            field: text("field"),
            docs: text("docs"),
        })
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.code.is_empty() {
            write!(f, "{}: ", self.code)?;
        }
        f.write_str(&self.message)?;
        if let Some(field) = self.field.as_ref().filter(|field| !self.message.contains(*field)) {
            write!(f, " (field {field})")?;
        }
        if let Some(docs) = &self.docs {
            write!(f, "; see {docs}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused { http_status, reason } => {
                write!(f, "the service answered {http_status} {reason}")
            }
            Self::ConsensusNeeded(activity) => write!(
                f,
                "activity {} needs more approvals of fingerprint {}",
                activity.id, activity.fingerprint
            ),
            Self::Rejected(activity) => write!(f, "activity {} was rejected", activity.id),
            Self::Failed(activity, reason) => {
                write!(f, "activity {} failed {reason}", activity.id)
            }
            Self::Unfinished(activity) => write!(
                f,
                "activity {} stopped at {}: read it again with get_activity",
                activity.id, activity.status
            ),
            Self::UnexpectedAnswer { url, reason } => {
                write!(f, "unexpected answer from {url}: {reason}; check the base URL")
            }
            Self::Unreachable(error) => write!(f, "cannot reach the service: {error}"),
            Self::InvalidCredential(reason) => f.write_str(reason),
            Self::InvalidBaseUrl(given) => {
                write!(f, "the base URL must be like https://keys.example.com: got {given:?}")
            }
        }
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Unreachable(error) => Some(error),
            _ => None,
        }
    }
}
