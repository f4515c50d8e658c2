/// What became of a submission.
final class Activity {
  const Activity({
    required this.id,
    required this.organizationId,
    required this.status,
    required this.fingerprint,
    required this.json,
  });

  final String id;
  final String organizationId;

  /// Such as `ACTIVITY_STATUS_COMPLETED`, the only status that has a result.
  final String status;

  /// `sha256:` and the SHA-256 of the request's body in hex. Approvers name the activity by it.
  final String fingerprint;

  /// Everything that the service answered about the activity.
  final Map<String, dynamic> json;

  bool get isInProgress =>
      status == 'ACTIVITY_STATUS_CREATED' || status == 'ACTIVITY_STATUS_PENDING';

  /// Null if it is not an activity.
  static Activity? parse(Object? json) {
    if (json is! Map<String, dynamic>) return null;
    final id = json['id'];
    final organizationId = json['organizationId'];
    final status = json['status'];
    final fingerprint = json['fingerprint'];
    if (id is! String || organizationId is! String) return null;
    if (status is! String || fingerprint is! String) return null;
    return Activity(
      id: id,
      organizationId: organizationId,
      status: status,
      fingerprint: fingerprint,
      json: json,
    );
  }

  /// The only member of the result, which is named after the type. Null if there is none.
  Map<String, dynamic>? get result {
    final members = json['result'];
    if (members is! Map || members.length != 1) return null;
    final only = members.values.single;
    return only is Map<String, dynamic> ? only : null;
  }
}

/// A completed activity and the fields of its result.
typedef Submitted = ({Activity activity, Map<String, dynamic> result});
