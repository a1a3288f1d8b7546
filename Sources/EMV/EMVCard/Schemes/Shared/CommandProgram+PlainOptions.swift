internal import Documents
internal import EMVData
internal import ISO7816
internal import JSON

extension CommandProgram {
  /// GET PROCESSING OPTIONS of a kernel that asks for the cryptogram later: tags 82 and 94 in format 1 or 2
  /// (EMV 4.4 Book 3, 6.5.8.4). Reads `optionsFormat` and `processingOptions`; nil when they are wrong.
  ///
  /// - Parameters:
  ///   - objects: Data objects that the scheme adds behind tag 94, which need format 2.
  ///   - alternative: The data objects in their place for a terminal that sets the bits; nil for none.
  ///   - ownTags: Tags that no record and no further data object may have, because the card gives them itself.
  ///   - unarmed: The data objects in their place in the response of an unarmed card; nil for none.
  ///   - refusal: Another response of an unarmed card; nil when such a card gives its options.
  static func plainOptions(
    _ application: inout ObjectReader, _ image: ApplicationBuilder, adding objects: [TLVNode] = [],
    addingIfRequired alternative: (objects: [TLVNode], bits: ValueBits)? = nil,
    ownTags: Set<Tag>, unarmed: [TLVNode]? = nil, refusal: Refusal? = nil
  ) -> CommandProgram? {
    let format = application.integer(optionsFormat) ?? 2
    let further = application.optionalDataObjects("processingOptions") ?? []
    if format == 1, let tag = objects.first?.tag {
      application.note("optionsFormat", "1: tag \(tag) needs format 2")
    } else if format == 1, !further.isEmpty {
      application.note("processingOptions", "format 1 has room for tags 82 and 94 only")
    }
    check(further + image.objects, ownTags, &application)
    func data(_ objects: [TLVNode]) -> [UInt8] {
      if format == 1 { return TLVNode(.responseFormat1, image.interchangeProfile + image.locator.encoded).encoded }
      let own = [
        TLVNode(.applicationInterchangeProfile, image.interchangeProfile),
        TLVNode(.applicationFileLocator, image.locator.encoded),
      ]
      return TLVNode(.responseFormat2, own + objects + further).encoded
    }
    guard application.checkOptions(data(objects), "records") else { return nil }
    var program = CommandProgram(
      0x80A8, .processingOptions, in: .selected, next: .initiated, values: image.pdol, answer: Answer(data(objects)))
    program.refusal = refusal ?? unarmed.map { .response(data($0)) }
    program.alternative = alternative.map { Answer(data($0.objects)) }
    program.alternativeBits = alternative?.bits
    return program
  }

  /// The data objects that every card gives by itself.
  static let ownTags: Set<Tag> = [
    .applicationInterchangeProfile, .applicationFileLocator, .issuerApplicationData, .cryptogramInformationData,
    .applicationTransactionCounter, .applicationCryptogram,
  ]

  /// `optionsFormat` of a profile.
  static let optionsFormat = ProfileKey(
    "optionsFormat", .integer, range: 1...2, default: 2,
    help: "The format of the response to GET PROCESSING OPTIONS: 1 (template 80) or 2 (template 77).",
    source: "EMV 4.4 Book 3, 6.5.8.4")

  /// A terminal ends the application when a data object occurs twice (EMV 4.4 Book 3, 10.2).
  private static func check(_ objects: [TLVNode], _ ownTags: Set<Tag>, _ application: inout ObjectReader) {
    let own = ownTags.union(Self.ownTags)
    for tag in Set(objects.map(\.tag)).sorted() {
      if own.contains(tag) {
        application.note("records", "tag \(tag) is given by the card itself")
      } else if objects.count(where: { $0.tag == tag }) > 1 {
        application.note("records", "tag \(tag) occurs more than once: terminals refuse that")
      }
    }
  }
}
