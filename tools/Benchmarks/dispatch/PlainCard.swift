import CPlainCard
import EMVCard
import ISO7816
import Octets

/// The card in plain C, with the responses of a card in Swift.
final class PlainCard {
  private let card: UnsafeMutablePointer<plain_card>
  private var blocks: [UnsafeMutableBufferPointer<UInt8>] = []
  private var applications: UnsafeMutablePointer<plain_application>?
  private var records: UnsafeMutablePointer<plain_record>?

  /// Copies the responses of an image with one application.
  init(_ image: CardImage) {
    card = .allocate(capacity: 1)
    card.initialize(to: plain_card())
    let aid = image.applications[0].aid.octets
    var source = Card(image: image)
    let directory = source.response(to: DispatchCommand.directory.octets)
    let information = source.response(to: [0x00, 0xA4, 0x04, 0x00, UInt8(aid.count)] + aid + [0x00])
    let options = source.response(to: DispatchCommand.options.octets)
    var entries: [plain_record] = []
    for identifier in UInt8(1)...30 {
      for number in UInt8(1)...16 {
        let response = source.response(to: [0x00, 0xB2, number, identifier << 3 | 0x04, 0x00])
        guard response.count > 2 else { continue }
        entries.append(plain_record(key: UInt16(identifier) << 8 | UInt16(number), response: copy(response)))
      }
    }
    let placed = UnsafeMutablePointer<plain_record>.allocate(capacity: entries.count)
    placed.initialize(from: entries, count: entries.count)
    let application = UnsafeMutablePointer<plain_application>.allocate(capacity: 1)
    application.initialize(
      to: plain_application(
        aid: copy(aid), information: copy(information), options: copy(options), records: placed,
        record_count: entries.count))
    card.pointee = plain_card(
      directory: copy(directory), applications: application, application_count: 1, selected: -1, has_options: 0)
    (records, applications) = (placed, application)
  }

  deinit {
    for block in blocks { block.deallocate() }
    records?.deallocate()
    applications?.deallocate()
    card.deallocate()
  }

  private func copy(_ octets: [UInt8]) -> plain_run {
    let block = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: octets.count)
    _ = block.initialize(from: octets)
    blocks.append(block)
    return plain_run(octets: block.baseAddress, count: octets.count)
  }

  /// Answers a command several times. Returns the length of the last response.
  func answer(_ command: [UInt8], times: Int, into buffer: inout [UInt8]) -> Int {
    plain_card_repeat(card, command, command.count, &buffer, times)
  }
}

extension CommandResponder where Self: ~Copyable {
  /// Answers a command several times. Returns the length of the last response.
  ///
  /// The command and the room for the response are parameters and not captured variables, which would be checked for
  /// exclusive access in the loop.
  @inline(never)
  mutating func answer(_ command: [UInt8], times: Int, into buffer: inout [UInt8]) -> Int {
    let octets = command.span
    var elements = buffer.mutableSpan
    var room = elements.mutableBytes
    let instant = Instant(nanoseconds: 0)
    var count = 0
    var iteration = 0
    while iteration < times {
      count = respond(to: octets, at: instant, into: &room)
      iteration &+= 1
    }
    return count
  }
}

extension Card {
  fileprivate mutating func response(to command: [UInt8]) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: shortResponseCapacity)
    let count = answer(command, times: 1, into: &buffer)
    return Array(buffer[..<count])
  }
}
