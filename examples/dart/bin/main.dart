/// Asks who it is, finds or creates a wallet with one Ethereum account, and signs a message that any
/// Ethereum library verifies.
library;

import 'dart:convert';
import 'dart:io';

import 'package:keyhearth_example/keyhearth.dart';

const walletName = 'Dart example';

Future<void> main() async {
  try {
    final client = connect();

    final me = await client.query('whoami');
    print('Signed in as ${me['username']} of ${me['organizationName']}');

    final address = await ethereumAddress(client);
    print('Address: $address');

    const message = 'Hello from Dart';
    print('Message: $message');
    print('Signature: ${await signMessage(client, address, message)}');
    client.close();
  } on KeyhearthException catch (error) {
    stderr.writeln(error);
    exit(1);
  }
}

Client connect() {
  final path = setting('KEYHEARTH_ROOT_KEY', '../../data/root-api-key.json');
  final key = jsonDecode(File(path).readAsStringSync()) as Map<String, dynamic>;
  return Client(
    baseUrl: setting('KEYHEARTH_URL', 'http://localhost:3000'),
    organizationId: setting('KEYHEARTH_ORGANIZATION_ID', key['organizationId'] as String),
    stamper: ApiKey(
      publicKey: key['apiPublicKey'] as String,
      privateKey: key['apiPrivateKey'] as String,
    ),
  );
}

/// Finds the account of this example's wallet, or creates the wallet.
Future<String> ethereumAddress(Client client) async {
  final listed = await client.query('list_wallets');
  for (final wallet in listed['wallets'] as List) {
    if (wallet['walletName'] != walletName) continue;
    final listed = await client.query('list_wallet_accounts', {'walletId': wallet['walletId']});
    final account = (listed['accounts'] as List)
        .firstWhere((account) => account['addressFormat'] == 'ADDRESS_FORMAT_ETHEREUM');
    return account['address'] as String;
  }

  final created = await client.submit('create_wallet', 'ACTIVITY_TYPE_CREATE_WALLET', {
    'walletName': walletName,
    'accounts': [
      {
        'curve': 'CURVE_SECP256K1',
        'pathFormat': 'PATH_FORMAT_BIP32',
        'path': "m/44'/60'/0'/0/0",
        'addressFormat': 'ADDRESS_FORMAT_ETHEREUM',
      },
    ],
  });
  return (created.result['addresses'] as List).single as String;
}

/// Signs as Ethereum wallets do (EIP-191) and returns the 65 bytes that libraries expect.
Future<String> signMessage(Client client, String address, String message) async {
  final text = utf8.encode(message);
  final payload = [...utf8.encode('\x19Ethereum Signed Message:\n${text.length}'), ...text];
  final signed = await client.submit('sign_raw_payload', 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', {
    'signWith': address,
    'payload': hexOf(payload),
    'encoding': 'PAYLOAD_ENCODING_HEXADECIMAL',
    'hashFunction': 'HASH_FUNCTION_KECCAK256',
  });
  // The service says 00 or 01; Ethereum adds 27.
  final v = signed.result['v'] == '00' ? '1b' : '1c';
  return '0x${signed.result['r']}${signed.result['s']}$v';
}

String setting(String name, String otherwise) {
  final value = Platform.environment[name] ?? '';
  return value.isEmpty ? otherwise : value;
}
