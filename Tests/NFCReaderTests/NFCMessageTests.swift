import NFCReader
import Testing

@Suite("Messages between a program and its tap-nfc")
struct NFCMessageTests {
  static let requests: [NFCRequest] = [
    .list, .open(connstring: "pn532_uart:/dev/ttyUSB0"), .select,
    .transceive(milliseconds: 0xDEAD_BEEF, command: [1, 2]),
    .transceive(milliseconds: 1, command: []), .release,
    .await(identifier: [8, 1, 2, 3], historicalBytes: []), .await(identifier: [8, 1, 2, 3], historicalBytes: [0x80]),
    .receive, .respond([0x90, 0x00]), .abort,
  ]

  static let replies: [NFCReply] = [
    .done, .opened(name: "PN532"), .devices([]), .devices(["a", "b"]),
    .card(identifier: [8, 1, 2, 3], answerToSelect: []),
    .card(identifier: [4, 1, 2, 3, 4, 5, 6], answerToSelect: [0x78, 0x80, 0x70, 0x02]), .noCard,
    .octets([0x90, 0x00]), .released(isDeselected: false),
    .released(isDeselected: true), .failed(NFCFailure(.busy, "another program holds it")),
  ]

  @Test(arguments: requests)
  func `a request survives encoding and parsing`(_ request: NFCRequest) {
    #expect(NFCRequest(request.octets) == request)
  }

  @Test(arguments: replies)
  func `a reply survives encoding and parsing`(_ reply: NFCReply) {
    #expect(NFCReply(reply.octets) == reply)
  }

  /// Texts that are not a message.
  static let invalid = [
    "", "1", "[]", "{}", #"{"list":{},"select":{}}"#, #"{"unknown":{}}"#, #"{"await":{"identifier":[8]}}"#,
    #"{"released":{"isDeselected":2}}"#, #"{"respond":{"_0":[256]}}"#, #"{"octets":{"_0":[-1]}}"#,
    #"{"failed":{"_0":{"code":"unknown","text":""}}}"#,
    #"{"transceive":{"milliseconds":4294967296,"command":[]}}"#,
  ]

  @Test(arguments: invalid)
  func `bytes that are not a message are nil`(_ text: String) {
    #expect(NFCRequest(Array(text.utf8)) == nil)
    #expect(NFCReply(Array(text.utf8)) == nil)
  }

  @Test func `a message that is cut at any place does not trap`() {
    for message in Self.requests.map(\.octets) {
      for count in 0..<message.count { _ = NFCRequest(Array(message[..<count])) }
    }
    for message in Self.replies.map(\.octets) {
      for count in 0..<message.count { _ = NFCReply(Array(message[..<count])) }
    }
  }

  @Test(arguments: [1, 2, 3, 7, 1000])
  func `frames are reassembled from pieces of any size`(_ step: Int) throws {
    let messages = Self.replies.map(\.octets) + [[], [UInt8](repeating: 7, count: NFCFrames.maximumCount)]
    let stream = messages.flatMap(NFCFrames.framed)
    var frames = NFCFrames()
    var found: [[UInt8]] = []
    for start in stride(from: 0, to: stream.count, by: step) {
      frames.append(stream[start..<min(start + step, stream.count)])
      while let message = try frames.next() { found.append(message) }
    }
    #expect(found == messages)
  }

  @Test func `a frame that announces more than the limit is refused before its bytes arrive`() {
    var frames = NFCFrames()
    frames.append([0x80, 0x01])
    #expect(throws: NFCFailure.self) { try frames.next() }
  }
}
