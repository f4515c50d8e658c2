/// A small client of a Keyhearth service, for Dart and Flutter.
library;

export 'src/activity.dart';
export 'src/api_key.dart';
export 'src/client.dart';
export 'src/errors.dart';
export 'src/passkey_stamper.dart';
