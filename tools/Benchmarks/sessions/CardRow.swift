import CInstructionCounter
import EMVCard
import ISO7816
import InstructionCounting
import Octets

/// Cards that share one image. The commands need no use, so that an unarmed card answers them as an armed one does.
final class CardRow {
  private final class Place {
    var card: Card
    init(_ image: CardImage) { card = Card(image: image) }

    @inline(never)
    func answer(_ command: [UInt8], into room: inout MutableRawSpan) -> Int {
      card.respond(to: command.span, at: Instant(nanoseconds: 0), into: &room)
    }
  }

  /// The numbers of cards that are compared.
  static let sizes = [1, 10_000]
  /// The commands of one measurement; the difference of two counts is free of what happens once.
  static let passes = [2, 6]

  private let places: [Place]
  private let commands: [[UInt8]]

  init(of image: CardImage, count: Int) {
    places = (0..<count).map { _ in Place(image) }
    let aid = image.applications[0].aid.octets
    commands = [
      [0x00, 0xA4, 0x04, 0x00, 0x0E] + Array("2PAY.SYS.DDF01".utf8) + [0x00],
      [0x00, 0xA4, 0x04, 0x00, UInt8(aid.count)] + aid + [0x00], [0x00, 0xFF, 0x00, 0x00, 0x00],
    ]
  }

  /// The number of commands of a pass, whatever the number of cards.
  var commandsInPass: Int { Self.sizes[1] * commands.count }

  /// Sends every command to the cards in turn.
  func pass() {
    var buffer = [UInt8](repeating: 0, count: shortResponseCapacity)
    var number = 0
    while number < Self.sizes[1] {
      let place = places[number % places.count]
      var index = 0
      while index < commands.count {
        _ = buffer.withMutableOctets { place.answer(commands[index], into: &$0) }
        index &+= 1
      }
      number &+= 1
    }
  }

  /// Counts the instructions under callgrind.
  func count(as name: String) {
    pass()
    for passes in Self.passes {
      instruction_counter_reset()
      for _ in 0..<passes { pass() }
      instruction_counter_dump("\(name) \(passes)")
    }
  }

  /// The instructions of a command for each number of cards.
  static func instructions(_ image: CardImage) throws -> [Double] {
    let totals = try CallgrindRun.totals(Sessions.countingArgument)
    let commands = CardRow(of: image, count: 1).commandsInPass
    return try sizes.map { size in
      let found = try passes.map { passes in
        guard let total = totals["\(size) \(passes)"] else { throw CallgrindRun.Failure.missing("\(size) \(passes)") }
        return total
      }
      return Double(found[1] - found[0]) / Double((passes[1] - passes[0]) * commands)
    }
  }
}
