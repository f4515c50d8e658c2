import Crypto
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Acts with one credential in one organization.
public final class Client: Sendable {
  /// Who stamps the requests.
  public enum Route: Sendable {
    /// This program stamps them and sends them to the service.
    case direct(any Stamper)
    /// A server of yours at this URL stamps them. See `proxy-middleware` in the documentation.
    case proxy(URL)
  }

  public let organizationId: String
  private let baseURL: URL
  private let route: Route
  private let pollInterval: Duration
  private let pollTimeout: Duration
  private let session: URLSession

  /// A client of the service at `baseURL`, such as `http://localhost:3000`.
  public init(
    baseURL: String, organizationId: String, route: Route,
    pollInterval: Duration = .milliseconds(500), pollTimeout: Duration = .seconds(60)
  ) throws {
    guard let url = URL(string: baseURL), ["http", "https"].contains(url.scheme), url.host != nil
    else { throw KeyhearthError.invalidBaseURL(baseURL) }
    self.baseURL = url
    self.organizationId = organizationId
    self.route = route
    self.pollInterval = pollInterval
    self.pollTimeout = pollTimeout
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = 30
    session = URLSession(configuration: configuration, delegate: NoRedirects(), delegateQueue: nil)
  }

  /// Asks the endpoint `name`, such as `whoami`.
  public func query<Answer: Decodable>(
    _ name: String, _ parameters: [String: Any] = [:], as type: Answer.Type = Answer.self
  ) async throws -> Answer {
    let body = parameters.merging(["organizationId": organizationId]) { given, _ in given }
    return try await post("public/v1/query/\(name)", JSONSerialization.data(withJSONObject: body))
  }

  /// Asks for an activity of the given type at the endpoint `name`, and waits until it ends.
  public func submit<Result: Decodable>(
    _ name: String, type: String, _ parameters: [String: Any], as result: Result.Type = Result.self
  ) async throws -> (activity: Activity, result: Result) {
    let body = try JSONSerialization.data(withJSONObject: [
      "type": type,
      "timestampMs": String(Int(Date().timeIntervalSince1970 * 1000)),
      "organizationId": organizationId,
      "parameters": parameters,
    ])
    let path = "public/v1/submit/\(name)"
    var answer: ActivityAnswer<Result> = try await post(path, body)
    // The answer must be about these bytes. The answer to a vote is about the activity that was voted on.
    let votes = ["ACTIVITY_TYPE_APPROVE_ACTIVITY", "ACTIVITY_TYPE_REJECT_ACTIVITY"]
    let expected =
      votes.contains(type)
      ? parameters["fingerprint"] as? String : "sha256:" + Data(SHA256.hash(data: body)).hex
    guard answer.activity.fingerprint == expected else {
      throw unexpected(path, "the activity of another request")
    }
    answer = try await poll(answer)
    guard let result = try completed(answer) else {
      throw unexpected(path, "a completed activity without a result")
    }
    return (answer.activity, result)
  }

  /// Reads the activity until it ends, or time is up.
  private func poll<Result>(_ first: ActivityAnswer<Result>) async throws -> ActivityAnswer<Result> {
    let path = "public/v1/query/get_activity"
    let clock = ContinuousClock()
    let giveUpAt = clock.now + pollTimeout
    var answer = first
    while answer.activity.isInProgress, clock.now + pollInterval <= giveUpAt {
      try await Task.sleep(for: pollInterval)
      let activity = answer.activity
      let body = ["organizationId": activity.organizationId, "activityId": activity.id]
      answer = try await post(path, JSONSerialization.data(withJSONObject: body))
      guard answer.activity.id == activity.id,
        answer.activity.fingerprint == activity.fingerprint
      else { throw unexpected(path, "another activity") }
    }
    return answer
  }

  private func completed<Result>(_ answer: ActivityAnswer<Result>) throws -> Result? {
    let activity = answer.activity
    switch activity.status {
    case "ACTIVITY_STATUS_COMPLETED":
      return answer.result
    case "ACTIVITY_STATUS_CONSENSUS_NEEDED":
      throw KeyhearthError.consensusNeeded(activity)
    case "ACTIVITY_STATUS_REJECTED":
      throw KeyhearthError.rejected(activity)
    case "ACTIVITY_STATUS_FAILED":
      throw KeyhearthError.failed(
        activity, activity.failure ?? Reason(message: "no reason given", details: nil))
    default:
      throw KeyhearthError.unfinished(activity)
    }
  }

  /// Stamps the body once. If the service is busy and says when to come back, it sends the same bytes
  /// again: they are the same activity, which the service executes once.
  private func post<Answer: Decodable>(_ path: String, _ body: Data) async throws -> Answer {
    let request = try await makeRequest(path, body)
    var retries = 0
    while true {
      let (text, response) = try await send(request)
      guard let response = response as? HTTPURLResponse else {
        throw unexpected(path, "not an HTTP answer")
      }
      if response.statusCode == 200 {
        guard let answer = try? JSONDecoder().decode(Answer.self, from: text) else {
          throw unexpected(path, "not JSON of the expected form")
        }
        return answer
      }
      guard retries < 3, let delay = retryDelay(response) else {
        guard let reason = try? JSONDecoder().decode(Reason.self, from: text) else {
          throw unexpected(path, "status \(response.statusCode) without an error message")
        }
        throw KeyhearthError.refused(httpStatus: response.statusCode, reason)
      }
      try await Task.sleep(for: delay)
      retries += 1
    }
  }

  private func makeRequest(_ path: String, _ body: Data) async throws -> URLRequest {
    let target = baseURL.appendingPathComponent(path)
    var request: URLRequest
    switch route {
    case .direct(let stamper):
      let stamp = try await stamper.stamp(body)
      request = URLRequest(url: target)
      request.setValue(stamp.value, forHTTPHeaderField: stamp.name)
    case .proxy(let proxy):
      request = URLRequest(url: proxy)
      request.setValue(target.absoluteString, forHTTPHeaderField: "X-Turnkey-Request-Url")
    }
    request.httpMethod = "POST"
    request.httpBody = body
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    return request
  }

  private func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
    do {
      return try await session.data(for: request)
    } catch {
      throw KeyhearthError.unreachable(error)
    }
  }

  private func retryDelay(_ response: HTTPURLResponse) -> Duration? {
    guard [429, 503].contains(response.statusCode),
      let retryAfter = response.value(forHTTPHeaderField: "Retry-After"),
      let seconds = UInt16(retryAfter), seconds <= 10
    else { return nil }
    return .seconds(Int(seconds))
  }

  private func unexpected(_ path: String, _ reason: String) -> KeyhearthError {
    .unexpectedAnswer(url: baseURL.appendingPathComponent(path), reason: reason)
  }
}

/// The API never redirects. Following one would show the stamped request to another host.
private final class NoRedirects: NSObject, URLSessionTaskDelegate {
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }
}
