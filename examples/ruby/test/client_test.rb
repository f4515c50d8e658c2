# frozen_string_literal: true

require "minitest/autorun"
require "socket"
require_relative "../lib/keyhearth"

# The client against a server of this test, which answers as it is told and remembers what it was sent.
class ClientTest < Minitest::Test
  COMPLETED = { result: { createWalletResult: { walletId: "w1" } } }.freeze
  BUSY = JSON.generate({ code: 14, message: "busy", details: [] })

  # Marks requests in place of a key.
  class Marker
    def stamp(body)
      ["X-Stamp", "stamp of #{body.bytesize} bytes"]
    end
  end

  def teardown
    @servers&.each(&:close)
  end

  # Gives the answers in order, and repeats the last one. In an answer, FINGERPRINT stands for the
  # fingerprint of the first request.
  def serve(*answers, **options)
    server = TCPServer.new("127.0.0.1", 0)
    (@servers ||= []) << server
    received = @received = []
    Thread.new do
      loop { answer(server.accept, answers, received) }
    rescue IOError, SystemCallError
      nil # The test is over.
    end
    client("http://127.0.0.1:#{server.addr[1]}/public/v1/", **options)
  end

  def answer(socket, answers, received)
    path = socket.gets.split[1]
    headers = socket.each_line.take_while { |line| line != "\r\n" }.to_h { |line| line.chomp.downcase.split(": ", 2) }
    received << { path:, stamp: headers["x-stamp"], body: socket.read(headers["content-length"].to_i) }
    head, text = answers[[received.size, answers.size].min - 1]
    text = text.gsub("FINGERPRINT", "sha256:#{Digest::SHA256.hexdigest(received[0][:body])}")
    socket.write("HTTP/1.1 #{head}\r\nConnection: close\r\nContent-Length: #{text.bytesize}\r\n\r\n#{text}")
    socket.close
  end

  def client(base_url, **options)
    Keyhearth::Client.new(base_url:, organization_id: "org", stamper: Marker.new, poll_interval: 0.001, **options)
  end

  def activity(status, more = { result: {} }, fingerprint: "FINGERPRINT")
    JSON.generate({ activity: { id: "a", organizationId: "org", fingerprint:, status: "ACTIVITY_STATUS_#{status}", **more } })
  end

  def submit(client)
    client.submit("create_wallet", "ACTIVITY_TYPE_CREATE_WALLET", { walletName: "w" })
  end

  def test_a_submission_waits_until_its_activity_ends
    client = serve(
      ["200 OK", activity("CREATED")],
      ["200 OK", activity("PENDING")],
      ["200 OK", activity("COMPLETED", COMPLETED)]
    )
    assert_equal({ "walletId" => "w1" }, submit(client).result)
    expected = ["/public/v1/submit/create_wallet"] + (["/public/v1/query/get_activity"] * 2)
    assert_equal(expected, @received.map { |each| each[:path] })
    envelope = JSON.parse(@received[0][:body])
    assert_match(/\A\d{13}\z/, envelope.delete("timestampMs"))
    assert_equal(
      { "type" => "ACTIVITY_TYPE_CREATE_WALLET", "organizationId" => "org", "parameters" => { "walletName" => "w" } },
      envelope
    )
    assert_equal({ "organizationId" => "org", "activityId" => "a" }, JSON.parse(@received[2][:body]))
  end

  def test_an_activity_that_stays_pending_is_given_up
    client = serve(["200 OK", activity("PENDING")], poll_timeout: 0.02)
    assert_raises(Keyhearth::Unfinished) { submit(client) }
  end

  def test_an_activity_without_a_result_is_a_typed_error
    {
      "REJECTED" => Keyhearth::Rejected,
      "CONSENSUS_NEEDED" => Keyhearth::ConsensusNeeded,
      "AUTHENTICATORS_NEEDED" => Keyhearth::Unfinished,
      "SOMETHING_NEW" => Keyhearth::Unfinished
    }.each do |status, type|
      error = assert_raises(type) { submit(serve(["200 OK", activity(status)])) }
      assert_equal "a", error.activity.id
    end
  end

  def test_a_failed_activity_tells_why
    entry = { code: "DIGEST_INVALID", field: "parameters.payload", docs: "/errors#digest-invalid" }
    failure = { code: 3, message: "no", details: [{ "@type": "other" }, entry] }
    client = serve(["200 OK", activity("FAILED", { result: {}, failure: })])
    error = assert_raises(Keyhearth::ActivityFailed) { submit(client) }
    assert_equal({ **entry, message: "no" }, error.reason.to_h)
  end

  def test_the_answer_must_be_about_the_request
    [
      activity("COMPLETED", COMPLETED, fingerprint: "sha256:00"),
      activity("COMPLETED"),
      activity("COMPLETED", { result: { createWalletResult: "w1" } }),
      "{}",
      "[]",
      "",
      "<!doctype html>",
      "[" * 10_000
    ].each do |text|
      assert_raises(Keyhearth::UnexpectedAnswer, text[0, 80]) { submit(serve(["200 OK", text])) }
    end
  end

  def test_a_vote_returns_the_activity_that_it_is_about
    client = serve(["200 OK", activity("COMPLETED", COMPLETED, fingerprint: "sha256:11")])
    vote = ->(fingerprint) { client.submit("approve_activity", "ACTIVITY_TYPE_APPROVE_ACTIVITY", { fingerprint: }) }
    assert_equal "sha256:11", vote.call("sha256:11").activity.fingerprint
    assert_raises(Keyhearth::UnexpectedAnswer) { vote.call("sha256:22") }
  end

  def test_a_busy_service_gets_the_same_bytes_again
    client = serve(
      ["503 Busy\r\nRetry-After: 0", BUSY],
      ["429 Busy\r\nRetry-After: 0", BUSY],
      ["200 OK", activity("COMPLETED", COMPLETED)]
    )
    submit(client)
    assert_equal [@received[0]] * 3, @received
  end

  def test_a_busy_service_is_not_asked_forever
    {
      "503 Busy\r\nRetry-After: 0" => 4,
      "503 Busy\r\nRetry-After: 3600" => 1,
      "503 Busy\r\nRetry-After: -1" => 1,
      "503 Busy\r\nRetry-After: soon" => 1,
      "503 Busy" => 1,
      "500 Broken\r\nRetry-After: 0" => 1
    }.each do |head, requests|
      assert_raises(Keyhearth::Refused) { submit(serve([head, BUSY])) }
      assert_equal requests, @received.size, head
    end
  end

  def test_an_error_answer_is_typed
    entry = { code: "FIELD_INVALID", field: "organizationId", docs: "/errors#field-invalid" }
    text = JSON.generate({ code: 3, message: "must be a UUID", details: [entry] })
    error = assert_raises(Keyhearth::Refused) { serve(["400 Bad Request", text]).query("whoami") }
    assert_equal 400, error.http_status
    assert_equal({ **entry, message: "must be a UUID" }, error.reason.to_h)
  end

  def test_a_redirect_is_not_followed
    client = serve(["307 Elsewhere\r\nLocation: /elsewhere", ""])
    assert_raises(Keyhearth::UnexpectedAnswer) { client.query("whoami") }
    assert_equal 1, @received.size
  end

  def test_a_service_that_does_not_answer_is_unreachable
    silent = TCPServer.new("127.0.0.1", 0)
    url = "http://127.0.0.1:#{silent.addr[1]}"
    assert_raises(Keyhearth::Unreachable) { client(url, timeout: 0.05).query("whoami") }
    silent.close
    assert_raises(Keyhearth::Unreachable) { client(url).query("whoami") }
  end

  def test_a_base_url_must_be_complete
    ["", "localhost:3000", "/public", "ftp://localhost", "http://", "http:// "].each do |base_url|
      assert_raises(ArgumentError, base_url) { client(base_url) }
    end
  end
end
