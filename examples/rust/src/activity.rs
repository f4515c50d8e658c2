use serde_json::Value;

/// What became of a submission.
#[derive(Clone, Debug, PartialEq)]
pub struct Activity {
    pub id: String,
    pub organization_id: String,
    /// Such as `ACTIVITY_STATUS_COMPLETED`, the only status that has a result.
    pub status: String,
    /// `sha256:` and the SHA-256 of the request's body in hex. Approvers name the activity by it.
    pub fingerprint: String,
    /// Everything that the service answered about the activity.
    pub json: Value,
}

/// A completed activity and the fields of its result.
#[derive(Clone, Debug, PartialEq)]
pub struct Submitted {
    pub activity: Activity,
    pub result: Value,
}

impl Activity {
    pub(crate) fn parse(json: &Value) -> Option<Self> {
        let text = |name: &str| json[name].as_str().map(str::to_owned);
        Some(Self {
            id: text("id")?,
            organization_id: text("organizationId")?,
            status: text("status")?,
            fingerprint: text("fingerprint")?,
            json: json.clone(),
        })
    }

    pub(crate) fn is_in_progress(&self) -> bool {
        matches!(&self.status[..], "ACTIVITY_STATUS_CREATED" | "ACTIVITY_STATUS_PENDING")
    }

    /// The only member of the result, which is named after the type.
    pub(crate) fn result(&self) -> Option<&Value> {
        let members = self.json["result"].as_object()?;
        let result = members.values().next()?;
        (members.len() == 1 && result.is_object()).then_some(result)
    }
}
