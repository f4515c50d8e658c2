import Foundation

/// What became of a submission.
public struct Activity: Decodable, Sendable {
  public let id: String
  public let organizationId: String
  /// Such as `ACTIVITY_STATUS_COMPLETED`, the only status that has a result.
  public let status: String
  /// `sha256:` and the SHA-256 of the request's body in hex. Approvers name the activity by it.
  public let fingerprint: String
  let failure: Reason?

  var isInProgress: Bool {
    status == "ACTIVITY_STATUS_CREATED" || status == "ACTIVITY_STATUS_PENDING"
  }
}

/// The answer to a submission: its activity, and its result as soon as there is one.
struct ActivityAnswer<Result: Decodable>: Decodable {
  let activity: Activity
  let result: Result?

  private enum Keys: String, CodingKey { case activity, result }

  init(from decoder: any Decoder) throws {
    let answer = try decoder.container(keyedBy: Keys.self)
    activity = try answer.decode(Activity.self, forKey: .activity)
    guard activity.status == "ACTIVITY_STATUS_COMPLETED" else {
      result = nil
      return
    }
    // The result has one member, which is named after the type.
    let body = try answer.nestedContainer(keyedBy: Keys.self, forKey: .activity)
    let members = try body.decode([String: Result].self, forKey: .result)
    result = members.count == 1 ? members.first?.value : nil
  }
}
