internal import EMVData
internal import ISO7816

// READ RECORD of every record in a list, strictly in its order (EMV 4.4 Book 3, 10.2).
struct RecordReading {
  typealias Record = (sfi: UInt8, record: UInt8)

  private(set) var card: CardData
  private var records: ArraySlice<Record>

  init(_ records: [Record], into card: CardData) {
    self.records = records[...]
    self.card = card
  }

  // The command for the next record; nil when all records were read.
  var command: CommandAPDU? { records.first.map { .readRecord($0.record, sfi: $0.sfi) } }

  // Takes the response to `command`.
  mutating func receive(_ response: ResponseAPDU) throws(StepFailure) {
    guard let record = records.popFirst() else { preconditionFailure("a response comes after a command") }
    try card.addRecord(response, sfi: record.sfi)
  }
}
