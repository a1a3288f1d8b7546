internal import EMVData
internal import ISO7816

// READ RECORD of every record in a list, strictly in its order (EMV 4.4 Book 3, 10.2).
struct RecordReading {
  struct Record {
    let sfi: UInt8
    let number: UInt8
    // Whether it takes part in offline data authentication: the first records of an entry do, as many as its fourth byte
    // states (EMV 4.4 Book 3, 10.3).
    let isSigned: Bool
  }

  private(set) var card: CardData
  private var records: ArraySlice<Record>

  init(_ records: [Record], into card: CardData) {
    self.records = records[...]
    self.card = card
  }

  // The command for the next record; nil when all records were read.
  var command: CommandAPDU? { records.first.map { .readRecord($0.number, sfi: $0.sfi) } }

  // Takes the response to `command`.
  mutating func receive(_ response: ResponseAPDU) throws(StepFailure) {
    guard let record = records.popFirst() else { preconditionFailure("a response comes after a command") }
    try card.addRecord(response, record)
  }
}

extension ApplicationFileLocator {
  // Every record to read, in order.
  var readings: [RecordReading.Record] {
    entries.flatMap { entry in
      entry.records.map { number in
        RecordReading.Record(
          sfi: entry.sfi, number: number, isSigned: number - entry.records.lowerBound < entry.authenticatedCount)
      }
    }
  }
}
