import 'activity.dart';

/// Everything that can go wrong.
sealed class KeyhearthException implements Exception {
  const KeyhearthException(this.message);

  final String message;

  @override
  String toString() => message;
}

/// The API key cannot be used. The message never shows it.
final class InvalidCredential extends KeyhearthException {
  const InvalidCredential(super.message);
}

/// The person closed the passkey prompt. It is not an error to report: offer the button again.
final class PromptClosed extends KeyhearthException {
  const PromptClosed() : super('the passkey prompt was closed');
}

/// There was no answer, or not in time.
final class Unreachable extends KeyhearthException {
  Unreachable(Object cause) : super('cannot reach the service: $cause');
}

/// What answered does not speak this API, or answered something else than it was asked.
final class UnexpectedAnswer extends KeyhearthException {
  UnexpectedAnswer(Uri url, String reason)
      : super('unexpected answer from $url: $reason; check the base URL');
}

/// The service refused the request. Branch on the code of the reason.
final class Refused extends KeyhearthException {
  Refused(this.httpStatus, this.reason) : super('the service answered $httpStatus $reason');

  final int httpStatus;
  final Reason reason;
}

/// An activity did not complete.
sealed class ActivityException extends KeyhearthException {
  const ActivityException(this.activity, String message) : super(message);

  final Activity activity;
}

/// Others must approve the activity. Give them its fingerprint.
final class ConsensusNeeded extends ActivityException {
  ConsensusNeeded(Activity activity)
      : super(
          activity,
          'activity ${activity.id} needs more approvals of fingerprint ${activity.fingerprint}',
        );
}

/// Somebody whose vote counts rejected the activity.
final class Rejected extends ActivityException {
  Rejected(Activity activity) : super(activity, 'activity ${activity.id} was rejected');
}

/// The activity was allowed, but could not be done. Branch on the code of the reason.
final class ActivityFailed extends ActivityException {
  ActivityFailed(Activity activity, this.reason)
      : super(activity, 'activity ${activity.id} failed $reason');

  final Reason reason;
}

/// The activity did not end in time, or stopped at a status that is not known here.
final class Unfinished extends ActivityException {
  Unfinished(Activity activity)
      : super(
          activity,
          'activity ${activity.id} stopped at ${activity.status}: read it again with get_activity',
        );
}

/// Why the service refused a request, or why an activity failed.
final class Reason {
  const Reason(this.message, {this.code = '', this.field, this.docs});

  final String message;

  /// Stable, such as `FIELD_INVALID`. Empty if the service gave none.
  final String code;

  /// The path of the wrong field, such as `parameters.accounts[0].curve`.
  final String? field;

  /// The page that explains the code, as a path of the site.
  final String? docs;

  /// Reads the shape that answers and failures share. Null if it has no message.
  static Reason? parse(Object? status) {
    if (status is! Map) return null;
    final message = status['message'];
    if (message is! String) return null;
    final details = status['details'];
    // The first detail with a code is for programs. Details of other forms may come before it.
    for (final detail in details is List ? details : const <Object?>[]) {
      if (detail is! Map) continue;
      final code = detail['code'];
      if (code is! String) continue;
      final field = detail['field'];
      final docs = detail['docs'];
      return Reason(
        message,
        code: code,
        field: field is String ? field : null,
        docs: docs is String ? docs : null,
      );
    }
    return Reason(message);
  }

  @override
  String toString() {
    final text = code.isEmpty ? message : '$code: $message';
    return docs == null ? text : '$text; see $docs';
  }
}
