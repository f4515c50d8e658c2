import 'dart:async';
import 'dart:convert';
import 'dart:typed_data';

import 'package:crypto/crypto.dart' show sha256;
import 'package:http/http.dart' as http;

import 'activity.dart';
import 'api_key.dart';
import 'errors.dart';

const _maxRetries = 3;
const _maxRetrySeconds = 10;

/// Acts with one credential in one organization.
final class Client {
  /// A client of the service at [baseUrl], such as `http://localhost:3000`. One request may take
  /// [timeout]. Activities that outlive their request are read every [pollInterval], for [pollTimeout].
  Client({
    required String baseUrl,
    required this.organizationId,
    required Stamper stamper,
    http.Client? httpClient,
    this.timeout = const Duration(seconds: 30),
    this.pollInterval = const Duration(milliseconds: 500),
    this.pollTimeout = const Duration(minutes: 1),
  })  : _baseUrl = _parseBaseUrl(baseUrl),
        _stamper = stamper,
        _http = httpClient ?? http.Client();

  final String organizationId;
  final Duration timeout;
  final Duration pollInterval;
  final Duration pollTimeout;
  final String _baseUrl;
  final Stamper _stamper;
  final http.Client _http;

  /// Asks the endpoint [name], such as `whoami`, and returns its answer.
  Future<Map<String, dynamic>> query(
    String name, [
    Map<String, Object?> parameters = const {},
  ]) =>
      _post('/public/v1/query/$name', {'organizationId': organizationId, ...parameters}).$2;

  /// Asks for an activity of the given [type] at the endpoint [name], and waits until it ends. Throws an
  /// [ActivityException] if it ends, or stops, without a result.
  Future<Submitted> submit(String name, String type, Map<String, Object?> parameters) async {
    final path = '/public/v1/submit/$name';
    final (bytes, answer) = _post(path, {
      'type': type,
      'timestampMs': '${DateTime.now().millisecondsSinceEpoch}',
      'organizationId': organizationId,
      'parameters': parameters,
    });
    final first = _activity(path, await answer);
    // The answer must be about these bytes. The answer to a vote is about the activity that was voted on.
    final expected = switch (type) {
      'ACTIVITY_TYPE_APPROVE_ACTIVITY' ||
      'ACTIVITY_TYPE_REJECT_ACTIVITY' =>
        parameters['fingerprint'],
      _ => 'sha256:${sha256.convert(bytes)}',
    };
    if (first.fingerprint != expected) {
      throw _unexpected(path, 'the activity of another request');
    }
    final activity = await _poll(first);
    if (activity.status != 'ACTIVITY_STATUS_COMPLETED') throw _activityException(activity);
    final result = activity.result;
    if (result == null) throw _unexpected(path, 'a completed activity without a result');
    return (activity: activity, result: result);
  }

  void close() => _http.close();

  /// Reads the activity until it ends, or time is up.
  Future<Activity> _poll(Activity first) async {
    const path = '/public/v1/query/get_activity';
    final waited = Stopwatch()..start();
    var activity = first;
    while (activity.isInProgress && waited.elapsed + pollInterval <= pollTimeout) {
      await Future<void>.delayed(pollInterval);
      final (_, answer) = _post(path, {
        'organizationId': activity.organizationId,
        'activityId': activity.id,
      });
      final next = _activity(path, await answer);
      if (next.id != activity.id || next.fingerprint != activity.fingerprint) {
        throw _unexpected(path, 'another activity');
      }
      activity = next;
    }
    return activity;
  }

  Activity _activity(String path, Map<String, dynamic> answer) =>
      Activity.parse(answer['activity']) ?? (throw _unexpected(path, 'no activity'));

  /// Stamps the body once, and returns its bytes beside the answer that is to come.
  (Uint8List, Future<Map<String, dynamic>>) _post(String path, Map<String, Object?> body) {
    final bytes = utf8.encode(jsonEncode(body));
    return (bytes, _send(path, bytes));
  }

  /// If the service is busy and says when to come back, this sends the same bytes again: they are the same
  /// activity, which the service executes once.
  Future<Map<String, dynamic>> _send(String path, Uint8List bytes) async {
    final stamp = await _stamper.stamp(bytes);
    for (var retries = 0;; retries++) {
      final response = await _sendOnce(path, bytes, stamp);
      final answer = _decode(response.bodyBytes);
      if (response.statusCode == 200) {
        if (answer is Map<String, dynamic>) return answer;
        throw _unexpected(path, 'not a JSON object');
      }
      final delay = _retryDelay(response);
      if (delay == null || retries == _maxRetries) {
        final reason = Reason.parse(answer);
        if (reason == null) {
          throw _unexpected(path, 'status ${response.statusCode} without an error message');
        }
        throw Refused(response.statusCode, reason);
      }
      await Future<void>.delayed(delay);
    }
  }

  Future<http.Response> _sendOnce(
    String path,
    Uint8List bytes,
    ({String name, String value}) stamp,
  ) async {
    // The API never redirects. Following one would show the stamped request to another host.
    final request = http.Request('POST', Uri.parse('$_baseUrl$path'))
      ..followRedirects = false
      ..headers['Content-Type'] = 'application/json'
      ..headers[stamp.name] = stamp.value
      ..bodyBytes = bytes;
    try {
      return await _http.send(request).then(http.Response.fromStream).timeout(timeout);
    } on Exception catch (error) {
      throw Unreachable(error);
    }
  }

  UnexpectedAnswer _unexpected(String path, String reason) =>
      UnexpectedAnswer(Uri.parse('$_baseUrl$path'), reason);
}

String _parseBaseUrl(String text) {
  final url = Uri.tryParse(text);
  if (url == null || !(url.isScheme('http') || url.isScheme('https')) || url.host.isEmpty) {
    throw ArgumentError.value(text, 'baseUrl', 'must be like https://keys.example.com');
  }
  return text.replaceFirst(RegExp(r'/+$'), '');
}

ActivityException _activityException(Activity activity) => switch (activity.status) {
      'ACTIVITY_STATUS_CONSENSUS_NEEDED' => ConsensusNeeded(activity),
      'ACTIVITY_STATUS_REJECTED' => Rejected(activity),
      'ACTIVITY_STATUS_FAILED' => ActivityFailed(
          activity,
          Reason.parse(activity.json['failure']) ?? const Reason('no reason given'),
        ),
      _ => Unfinished(activity),
    };

Object? _decode(Uint8List text) {
  try {
    return jsonDecode(utf8.decode(text));
  } on FormatException {
    return null;
  }
}

Duration? _retryDelay(http.Response response) {
  if (response.statusCode != 429 && response.statusCode != 503) return null;
  final retryAfter = response.headers['retry-after'] ?? '';
  if (!RegExp(r'^\d{1,5}$').hasMatch(retryAfter)) return null;
  final seconds = int.parse(retryAfter);
  return seconds <= _maxRetrySeconds ? Duration(seconds: seconds) : null;
}
