# frozen_string_literal: true

# Asks who it is, finds or creates a wallet with one Ethereum account, and signs a message that any Ethereum
# library verifies.

require_relative "lib/keyhearth"

WALLET_NAME = "Ruby example"

def setting(name, otherwise)
  value = ENV.fetch(name, "")
  value.empty? ? otherwise : value
end

def connect
  key = Keyhearth::KeyFile.read(setting("KEYHEARTH_ROOT_KEY", "../../data/root-api-key.json"))
  Keyhearth::Client.new(
    base_url: setting("KEYHEARTH_URL", "http://localhost:3000"),
    organization_id: setting("KEYHEARTH_ORGANIZATION_ID", key.organization_id),
    stamper: key.api_key
  )
end

# Finds the account of this example's wallet, or creates the wallet.
def ethereum_address(client)
  wallets = client.query("list_wallets").fetch("wallets")
  if (wallet = wallets.find { |each| each["walletName"] == WALLET_NAME })
    accounts = client.query("list_wallet_accounts", walletId: wallet.fetch("walletId")).fetch("accounts")
    account = accounts.find { |each| each["addressFormat"] == "ADDRESS_FORMAT_ETHEREUM" }
    return account.fetch("address")
  end

  account = {
    curve: "CURVE_SECP256K1",
    pathFormat: "PATH_FORMAT_BIP32",
    path: "m/44'/60'/0'/0/0",
    addressFormat: "ADDRESS_FORMAT_ETHEREUM"
  }
  parameters = { walletName: WALLET_NAME, accounts: [account] }
  client.submit("create_wallet", "ACTIVITY_TYPE_CREATE_WALLET", parameters).result.fetch("addresses").first
end

# Signs as Ethereum wallets do (EIP-191) and returns the 65 bytes that libraries expect.
def sign_message(client, address, message)
  payload = "\x19Ethereum Signed Message:\n#{message.bytesize}#{message}"
  signed = client.submit(
    "sign_raw_payload",
    "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
    {
      signWith: address,
      payload: payload.unpack1("H*"),
      encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
      hashFunction: "HASH_FUNCTION_KECCAK256"
    }
  )
  r, s, v = signed.result.fetch_values("r", "s", "v")
  raise "a signature of an unknown form" unless (r + s + v).match?(/\A[0-9a-f]{128}0[01]\z/)

  # The service says 00 or 01; Ethereum adds 27.
  "0x#{r}#{s}#{(27 + v.to_i).to_s(16)}"
end

def main
  client = connect

  me = client.query("whoami")
  puts "Signed in as #{me["username"]} of #{me["organizationName"]}"

  address = ethereum_address(client)
  puts "Address: #{address}"

  message = "Hello from Ruby"
  puts "Message: #{message}"
  puts "Signature: #{sign_message(client, address, message)}"
end

begin
  main
rescue Keyhearth::Error => e
  abort e.message
end
