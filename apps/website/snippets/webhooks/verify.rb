require "digest"
require "json"
require "openssl"

# Returns the activity, or raises ArgumentError. `headers` has lower-case names, `body` is the text that arrived, `is_ours`
# says whether an organization is yours. Handle each activity's id with its status once.
def verify_webhook(headers, body, jwks, is_ours:, now_ms: (Time.now.to_f * 1000).to_i)
  read = ->(name) { headers.fetch("x-turnkey-#{name}", "") }
  key_id, timestamp, event_id = %w[signature-key-id timestamp event-id].map(&read)
  form = [read["signature-version"], read["signature-algorithm"]]
  raise ArgumentError, "unknown form of signature" unless form == %w[v1 ed25519]
  raise ArgumentError, "not a timestamp" unless timestamp.match?(/\A[1-9]\d{0,15}\z/)

  key = jwks["keys"].find { |each| each["kid"] == key_id && each["crv"] == "Ed25519" }
  public_key = key && (key["x"] + "=").tr("-_", "+/").unpack1("m")
  # The id is the first half of the key's digest, so a pinned id pins the key.
  unless public_key && Digest::SHA256.hexdigest(public_key)[0, 32] == key_id
    raise ArgumentError, "not a key of the signer"
  end

  # An Ed25519 key in the form that OpenSSL reads (RFC 8410).
  ed25519 = OpenSSL::PKey.read(["302a300506032b6570032100"].pack("H*") + public_key)
  signed = "v1.ed25519.#{key_id}.#{timestamp}.#{event_id}.".b + body.b
  signature = [read["signature"]].pack("H*")
  raise ArgumentError, "not signed by this key" unless ed25519.verify(nil, signature, signed)
  raise ArgumentError, "older than five minutes" if (now_ms - timestamp.to_i).abs > 300_000

  activity = JSON.parse(body)
  # Other tenants can have their events sent to your URL, signed with the same key.
  raise ArgumentError, "not one of our organizations" unless is_ours[activity["organizationId"]]

  activity
end

if $PROGRAM_NAME == __FILE__
  delivery = JSON.parse(File.read(ARGV.fetch(0)))
  options = { is_ours: ->(id) { delivery["organizationIds"].include?(id) } }
  options[:now_ms] = delivery["nowMs"] if delivery["nowMs"]
  activity = verify_webhook(delivery["headers"], delivery["body"], delivery["jwks"], **options)
  puts "#{activity["type"]}: #{activity["status"]}"
end
