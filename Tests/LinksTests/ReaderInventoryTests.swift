import Links
import Octets
import Testing

private typealias Sighting = ReaderInventory.Sighting

struct ReaderInventoryTests {
  struct Step: Sendable, CustomStringConvertible {
    let description: String
    let former: [ReaderInventory.Sighting]
    let present: [ReaderInventory.Sighting]
    let changes: [String]
  }

  /// Every state of one reader followed by every other, then several readers at once.
  static let steps: [Step] = [
    Step(description: "nothing stays", former: [], present: [], changes: []),
    Step(
      description: "an empty reader comes", former: [], present: [Sighting(reader: "A", card: nil)], changes: ["+A"]),
    Step(
      description: "a reader comes with a card", former: [], present: [Sighting(reader: "A", card: [0x3B])],
      changes: ["+A", "A:3B"]),
    Step(
      description: "an empty reader stays", former: [Sighting(reader: "A", card: nil)],
      present: [Sighting(reader: "A", card: nil, generation: 2)], changes: []),
    Step(
      description: "a card comes", former: [Sighting(reader: "A", card: nil)],
      present: [Sighting(reader: "A", card: [0x3B], generation: 1)], changes: ["A:3B"]),
    Step(
      description: "a mute card comes", former: [Sighting(reader: "A", card: nil)],
      present: [Sighting(reader: "A", card: [])], changes: ["A:"]),
    Step(
      description: "a card stays", former: [Sighting(reader: "A", card: [0x3B], generation: 1)],
      present: [Sighting(reader: "A", card: [0x3B], generation: 1)], changes: []),
    Step(
      description: "a card goes", former: [Sighting(reader: "A", card: [0x3B], generation: 1)],
      present: [Sighting(reader: "A", card: nil, generation: 2)], changes: ["A:-"]),
    Step(
      description: "a card was taken and put back unseen", former: [Sighting(reader: "A", card: [0x3B], generation: 1)],
      present: [Sighting(reader: "A", card: [0x3B], generation: 3)], changes: ["A:-", "A:3B"]),
    Step(
      description: "another card lies there, uncounted", former: [Sighting(reader: "A", card: [0x3B])],
      present: [Sighting(reader: "A", card: [0x3F])], changes: ["A:-", "A:3F"]),
    Step(
      description: "a reader goes with its card", former: [Sighting(reader: "A", card: [0x3B])], present: [],
      changes: ["-A"]),
    Step(
      description: "one of two readers is replaced",
      former: [Sighting(reader: "A", card: nil), Sighting(reader: "B", card: [0x3B])],
      present: [Sighting(reader: "B", card: nil), Sighting(reader: "C", card: [0x3F])],
      changes: ["-A", "B:-", "+C", "C:3F"]),
  ]

  private func text(_ event: ReaderEvent) -> String {
    switch event.change {
    case .readerAdded: "+\(event.reader)"
    case .readerRemoved: "-\(event.reader)"
    case .cardInserted(let answerToReset): "\(event.reader):\(answerToReset.hex)"
    case .cardRemoved: "\(event.reader):-"
    }
  }

  @Test(arguments: steps)
  func `two snapshots tell what happened between them`(step: Step) {
    var inventory = ReaderInventory()
    _ = inventory.update(with: step.former, at: Instant(nanoseconds: 0))
    let events = inventory.update(with: step.present, at: Instant(nanoseconds: 9))
    #expect(events.map(text) == step.changes)
    #expect(events.allSatisfy { $0.instant == Instant(nanoseconds: 9) })
    #expect(inventory.readers == step.present.map(\.reader))
    #expect(inventory.update(with: step.present, at: Instant(nanoseconds: 10)).isEmpty)
  }
}
