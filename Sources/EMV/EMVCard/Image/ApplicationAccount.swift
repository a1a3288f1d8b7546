internal import Documents
internal import EMVData
internal import ISO7816
internal import JSON

/// The account number and the sequence number that the records of an application give.
struct ApplicationAccount {
  /// Tag 5A, or the number in track 2 data; nil when both are absent.
  let number: PrimaryAccountNumber?
  /// Tag 5F34; 0 where it is optional and absent.
  let sequenceNumber: UInt8?

  init(_ builder: ApplicationBuilder, _ reader: inout ObjectReader) {
    number = Self.number(builder, &reader)
    let sequence = builder.recordValue(of: .panSequenceNumber)?.first
    if sequence == nil, builder.needsSequenceNumber {
      reader.note("records", "tag 5F34 is missing: the issuer derives the key with it")
    }
    sequenceNumber = sequence ?? (builder.needsSequenceNumber ? nil : 0)
  }

  private static func number(_ builder: ApplicationBuilder, _ reader: inout ObjectReader) -> PrimaryAccountNumber? {
    let trackTags = [.track2EquivalentData] + builder.trackTags
    let plain = builder.objects.first { $0.tag == .primaryAccountNumber }
    let tracks = builder.objects.filter { trackTags.contains($0.tag) }
    let fromPlain = plain.flatMap { PrimaryAccountNumber(compressedNumeric: $0.value) }
    if plain != nil, fromPlain == nil { reader.note("records", "tag 5A is not an account number") }
    var numbers = [fromPlain].compactMap(\.self)
    for track in tracks {
      if let number = Track2EquivalentData(track.value)?.accountNumber {
        numbers.append(number)
      } else {
        reader.note("records", "tag \(track.tag) is not track 2 equivalent data")
      }
    }
    if plain == nil, tracks.isEmpty {
      reader.note("records", "tag 5A or 57 is missing: the account number must be readable")
    }
    if Set(numbers).count > 1 {
      let tags = (tracks.map(\.tag) + [plain].compactMap { $0?.tag }).sorted()
      let names = tags.map { "\($0)" }.joined(separator: " and ")
      reader.note("records", "tags \(names) have different account numbers")
    }
    return numbers.first
  }
}
