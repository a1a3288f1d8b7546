import ISO7816
import Links
import Octets
import TestSupport
import Testing

/// A reader that the project does not have: a function takes a command and returns the response, or nil without a card.
private struct FunctionReader: ~Copyable, CardChannel {
  let identity = CardIdentity(protocolName: "T=CL")
  private let exchange: ([UInt8]) -> [UInt8]?
  private var isOpen = true

  init(_ exchange: @escaping ([UInt8]) -> [UInt8]?) { self.exchange = exchange }

  mutating func transmit(_ command: Span<UInt8>, into response: inout MutableRawSpan) throws(LinkError) -> Int {
    guard isOpen, let octets = exchange(command.array), octets.count <= response.byteCount else {
      isOpen = false
      throw LinkError(.cardRemoved, "no card in the field of the reader: present it again")
    }
    response.copy(octets.span, to: 0)
    return octets.count
  }

  mutating func close() { isOpen = false }
}

private struct Tap: CardVisitor {
  var responses: [[UInt8]] = []

  mutating func visit<Channel: CardChannel & ~Copyable>(_ channel: inout Channel) {
    for exchange in ChannelContract.exchanges {
      guard let command = try? exchange.apdu, let response = try? channel.exchange(command) else { return }
      responses.append(response.encoded)
    }
  }
}

extension ExampleTests {
  @Test func `the recipe of the links' article adds a reader whose field serves a tap`() throws {
    let responses = Dictionary(uniqueKeysWithValues: ChannelContract.exchanges.map { ($0.command, $0.response) })
    var field = PoweredField { (timeout) throws(LinkError) in
      FunctionReader { command in responses[command] }
    }
    var tap = Tap()
    try field.nextCard(after: .zero, timeout: .seconds(60), &tap)
    #expect(tap.responses == ChannelContract.exchanges.map(\.response))
  }
}
