internal import Documents
internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import JSON

/// The mag-stripe mode that the records of an application describe, and COMPUTE CRYPTOGRAPHIC CHECKSUM, its last
/// command: one CVC3 for each track.
///
/// The answer to a terminal that supports mobile devices (tag 9F7E) also says that the cardholder was verified. An
/// unarmed card gives no code, a counter of zeros and in tag DF4B the wish for a verification, which a terminal shows
/// as "see phone". A card with a further use for other terms states there that the context is conflicting.
struct MagStripeMode {
  let track2: MagStripeTrack
  let track1: MagStripeTrack?
  let program: CommandProgram

  /// Nil when the records have no such mode, or a wrong one that is then noted.
  init?(_ image: ApplicationBuilder, _ application: inout ObjectReader) {
    guard image.recordValue(of: .track2Data) != nil else {
      for object in image.objects where Self.others.contains(object.tag) {
        application.note("records", "tag \(object.tag) belongs to a mag-stripe mode, which needs tag 9F6B")
      }
      return nil
    }
    if let first = image.locator.entries.first, first.sfi != 1 || first.records != 1...1 {
      // A terminal tells the modes apart by this entry.
      application.note("records", "with a mag-stripe mode, record 1 of SFI 1 must come first and have its own entry")
    }
    let list = Self.list(image, &application)
    let track2 = Self.track(.track2, image, &application)
    let track1 = Self.track(.track1, image, &application)
    guard let list, let track2 else { return nil }
    if let track1, track1.positions.unpredictableDigitCount != track2.positions.unpredictableDigitCount {
      application.note(
        "records", "tracks 1 and 2 take different numbers of unpredictable digits: terminals refuse that")
    }
    self.track2 = track2
    self.track1 = track1
    program = Self.program(list, hasTrack1: track1 != nil)
  }

  private static let others: [Tag] =
    [.track1Data, .udol] + TrackPositions.Track.allCases.flatMap { [$0.tags.cvc3, $0.tags.number, $0.tags.counter] }

  /// The UDOL. A terminal asks a card without tag 9F69 with tag 9F6A alone.
  private static func list(_ image: ApplicationBuilder, _ application: inout ObjectReader) -> DataObjectList? {
    guard let udol = image.recordValue(of: .udol) else {
      return DataObjectList(entries: [.init(tag: .unpredictableNumberNumeric, count: 4)])
    }
    guard let list = application.list(udol, "records", name: "tag 9F69") else { return nil }
    if list.range(of: .unpredictableNumberNumeric)?.count == 4 { return list }
    application.note("records", "tag 9F69 must ask for tag 9F6A with length 4: the codes cover it")
    return nil
  }

  private static func track(
    _ track: TrackPositions.Track, _ image: ApplicationBuilder, _ application: inout ObjectReader
  ) -> MagStripeTrack? {
    let (value, tags) = (image.recordValue(of:), track.tags)
    let (octets, cvc3) = (value(tags.data), value(tags.cvc3))
    let (shared, digits) = (value(tags.number), value(tags.counter)?.first)
    if octets == nil, cvc3 == nil, shared == nil, digits == nil { return nil }
    guard let octets, let cvc3, let shared, let digits else {
      let missing = [tags.data, tags.cvc3, tags.number, tags.counter].filter { value($0) == nil }
      let names = missing.map { "\($0)" }.joined(separator: ", ")
      application.note("records", "the mag-stripe mode lacks \(missing.count == 1 ? "tag" : "tags") \(names)")
      return nil
    }
    let positions = TrackPositions(
      track, cvc3: cvc3, unpredictableNumberAndCounter: shared, counterDigits: digits)
    guard let positions else {
      application.note("records", "tags \(tags.number) and \(tags.counter) do not leave 0...8 unpredictable digits")
      return nil
    }
    let probe = DynamicTrackData(cvc3: CVC3(0), unpredictableNumber: 0, atc: 0, isVerifiedOnDevice: false)
    if positions.filled(octets, with: probe) == nil {
      application.note("records", "tag \(tags.data) is not a track with room for the positions of its digits")
    }
    return MagStripeTrack(octets, positions)
  }

  private static func program(_ list: DataObjectList, hasTrack1: Bool) -> CommandProgram {
    let number = list.range(of: .unpredictableNumberNumeric)?.lowerBound ?? 0
    func answer(_ last: [TLVNode]) -> CommandProgram.Answer {
      let codes = [TLVNode(.cvc3Track2, [0, 0])]
      let track1 = hasTrack1 ? [TLVNode(.cvc3Track1, [0, 0])] : []
      let node = TLVNode(
        .responseFormat2, codes + track1 + [TLVNode(.applicationTransactionCounter, [0, 0])] + last)
      var fills: [CommandProgram.Fill] = []
      if let offset = node.valueOffset(of: .cvc3Track2) {
        fills.append(.dynamicCode(.track2, number: number, at: offset))
      }
      if let offset = node.valueOffset(of: .cvc3Track1) {
        fills.append(.dynamicCode(.track1, number: number, at: offset))
      }
      if let offset = node.valueOffset(of: .applicationTransactionCounter) {
        fills.append(.transactionCounter(at: offset))
      }
      return CommandProgram.Answer(node.encoded, fills)
    }
    let wish = TLVNode(.cardholderInteraction, MastercardTag.verificationRequired)
    let verified = TLVNode(.cardholderInteraction, MastercardTag.verificationSuccessful)
    let conflict = TLVNode(.cardholderInteraction, MastercardTag.contextConflict)
    func refusal(_ object: TLVNode) -> CommandProgram.Refusal {
      .response(TLVNode(.responseFormat2, [TLVNode(.applicationTransactionCounter, [0, 0]), object]).encoded)
    }
    var program = CommandProgram(
      0x802A, .computeChecksum, in: .initiated, next: .answered, values: list, answer: answer([]))
    program.refusal = refusal(wish)
    program.conflict = refusal(conflict)
    program.alternative = answer([verified])
    program.completes = true
    return program
  }
}
