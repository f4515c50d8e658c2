import Foundation

/// Everything that can go wrong. Switch on the case, and in `refused` on the reason's code.
public enum KeyhearthError: Error {
  /// The service refused the request.
  case refused(httpStatus: Int, Reason)
  /// Others must approve the activity. Give them its fingerprint.
  case consensusNeeded(Activity)
  /// Somebody whose vote counts rejected the activity.
  case rejected(Activity)
  /// The activity was allowed, but could not be done.
  case failed(Activity, Reason)
  /// The activity is not done: it did not end in time, or stopped at a status that is not known here.
  case unfinished(Activity)
  /// What answered does not speak this API, or answered something else than it was asked.
  case unexpectedAnswer(url: URL, reason: String)
  /// There was no answer.
  case unreachable(any Error)
  /// The API key cannot be used. The text never shows it.
  case invalidCredential(String)
  case invalidBaseURL(String)
}

/// Why the service refused a request, or why an activity failed.
public struct Reason: Decodable, Sendable {
  public let message: String
  let details: [Detail]?

  struct Detail: Decodable {
    let code, field, docs: String?

    private enum Keys: String, CodingKey { case code, field, docs }

    /// A member of another type counts as absent.
    init(from decoder: any Decoder) {
      let members = try? decoder.container(keyedBy: Keys.self)
      code = try? members?.decode(String.self, forKey: .code)
      field = try? members?.decode(String.self, forKey: .field)
      docs = try? members?.decode(String.self, forKey: .docs)
    }
  }

  // The first detail with a code is for programs. Details of other forms may come before it.
  private var detail: Detail? { details?.first { $0.code != nil } }

  /// Stable, such as `FIELD_INVALID`. Empty if the service gave none.
  public var code: String { detail?.code ?? "" }
  /// The path of the wrong field, such as `parameters.accounts[0].curve`.
  public var field: String? { detail?.field }
  /// The page that explains the code, as a path of the site.
  public var docs: String? { detail?.docs }
}

extension Reason: CustomStringConvertible {
  public var description: String {
    let text = code.isEmpty ? message : "\(code): \(message)"
    return docs.map { "\(text); see \($0)" } ?? text
  }
}

extension KeyhearthError: LocalizedError {
  public var errorDescription: String? {
    switch self {
    case .refused(let httpStatus, let reason):
      return "the service answered \(httpStatus) \(reason)"
    case .consensusNeeded(let activity):
      return "activity \(activity.id) needs more approvals of fingerprint \(activity.fingerprint)"
    case .rejected(let activity):
      return "activity \(activity.id) was rejected"
    case .failed(let activity, let reason):
      return "activity \(activity.id) failed \(reason)"
    case .unfinished(let activity):
      return "activity \(activity.id) stopped at \(activity.status): read it again with get_activity"
    case .unexpectedAnswer(let url, let reason):
      return "unexpected answer from \(url): \(reason); check the base URL"
    case .unreachable(let error):
      return "cannot reach the service: \(error.localizedDescription)"
    case .invalidCredential(let reason):
      return reason
    case .invalidBaseURL(let given):
      return "the base URL must be like https://keys.example.com: got \(given)"
    }
  }
}
