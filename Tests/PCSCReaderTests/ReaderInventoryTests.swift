import Links
import Octets
import Testing

@testable import PCSCReader

struct ReaderInventoryTests {
  struct Step: Sendable, CustomStringConvertible {
    let description: String
    let previous: [PCSCReaderStatus]
    let present: [PCSCReaderStatus]
    let changes: [String]
  }

  /// Every state of one reader followed by every other state, then several readers at once.
  static let steps: [Step] = [
    Step(description: "nothing stays", previous: [], present: [], changes: []),
    Step(
      description: "an empty reader comes", previous: [], present: [PCSCReaderStatus(name: "A", card: nil)],
      changes: ["+A"]),
    Step(
      description: "a reader comes with a card", previous: [], present: [PCSCReaderStatus(name: "A", card: [0x3B])],
      changes: ["+A", "A:3B"]),
    Step(
      description: "an empty reader stays", previous: [PCSCReaderStatus(name: "A", card: nil)],
      present: [PCSCReaderStatus(name: "A", card: nil, generation: 2)], changes: []),
    Step(
      description: "a card comes", previous: [PCSCReaderStatus(name: "A", card: nil)],
      present: [PCSCReaderStatus(name: "A", card: [0x3B], generation: 1)], changes: ["A:3B"]),
    Step(
      description: "a card without an answer to reset comes", previous: [PCSCReaderStatus(name: "A", card: nil)],
      present: [PCSCReaderStatus(name: "A", card: [])], changes: ["A:"]),
    Step(
      description: "a card stays", previous: [PCSCReaderStatus(name: "A", card: [0x3B], generation: 1)],
      present: [PCSCReaderStatus(name: "A", card: [0x3B], generation: 1)], changes: []),
    Step(
      description: "a card goes", previous: [PCSCReaderStatus(name: "A", card: [0x3B], generation: 1)],
      present: [PCSCReaderStatus(name: "A", card: nil, generation: 2)], changes: ["A:-"]),
    Step(
      description: "a card was removed and inserted between two snapshots",
      previous: [PCSCReaderStatus(name: "A", card: [0x3B], generation: 1)],
      present: [PCSCReaderStatus(name: "A", card: [0x3B], generation: 3)], changes: ["A:-", "A:3B"]),
    Step(
      description: "another card is there, without a count", previous: [PCSCReaderStatus(name: "A", card: [0x3B])],
      present: [PCSCReaderStatus(name: "A", card: [0x3F])], changes: ["A:-", "A:3F"]),
    Step(
      description: "a reader is unplugged with its card", previous: [PCSCReaderStatus(name: "A", card: [0x3B])],
      present: [],
      changes: ["-A"]),
    Step(
      description: "one of two readers is replaced",
      previous: [PCSCReaderStatus(name: "A", card: nil), PCSCReaderStatus(name: "B", card: [0x3B])],
      present: [PCSCReaderStatus(name: "B", card: nil), PCSCReaderStatus(name: "C", card: [0x3F])],
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
  func `the inventory reports the changes between two snapshots`(step: Step) {
    var inventory = ReaderInventory()
    _ = inventory.update(with: step.previous, at: Instant(nanoseconds: 0))
    let events = inventory.update(with: step.present, at: Instant(nanoseconds: 9))
    #expect(events.map(text) == step.changes)
    #expect(events.allSatisfy { $0.instant == Instant(nanoseconds: 9) })
    #expect(inventory.readers == step.present.map(\.name))
    #expect(inventory.update(with: step.present, at: Instant(nanoseconds: 10)).isEmpty)
  }
}
