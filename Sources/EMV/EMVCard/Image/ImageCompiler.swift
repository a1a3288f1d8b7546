internal import Documents
internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import JSON
internal import Octets

/// Compiles a profile into the parts of an image. Every check of a profile happens here, in `ApplicationCompiler` or in
/// a scheme.
struct ImageCompiler {
  private(set) var name = ""
  private(set) var directory = ArenaSlice.none
  private(set) var images: [ApplicationImage] = []
  private(set) var commands: [CommandImage] = []
  private(set) var valueLists: [DataObjectList] = []
  private(set) var fills: [FillImage] = []
  private(set) var further: [FurtherResponses] = []
  private(set) var methodAnswers: [MethodResponse] = []
  private(set) var applications: [CardImage.Application] = []
  private(set) var longestResponseCount = 0
  /// The content of the arena.
  private(set) var octets: [UInt8] = []

  /// - Parameter isText: Whether the profile was read from a text, so that problems have their places in it.
  /// - Throws: All problems of the profile.
  init(_ profile: JSONValue, _ schemes: [CardScheme], isText: Bool) throws(CardProfileError) {
    var reader = ObjectReader(profile, at: "")
    _ = reader.text(ProfileKey.schemaReference)
    let format = reader.text(CardKeys.format.name)
    if format != CardProfile.format {
      reader.note(CardKeys.format.name, "\"\(format.prefix(40))\": this engine reads \"\(CardProfile.format)\"")
    }
    name = reader.text(CardKeys.name.name)
    if !(1...CardProfile.maximumNameLength).contains(name.count) {
      reader.note(
        CardKeys.name.name, "\(name.count.counted("character")): the range is 1...\(CardProfile.maximumNameLength)")
    }
    let parsed = Self.applications(&reader, schemes)
    let directory = Self.directory(parsed)
    if directory.count > shortResponseCapacity {
      reader.note("applications", "the directory has \(directory.count - 2) bytes: the limit is 256")
    }
    // The card ignores the key.
    _ = reader.has(CardKeys.faults)
    Self.checkSigningKeys(parsed, &reader)
    Self.checkSignedValues(parsed, &reader)
    try CardProfileError.check(reader.finish(), isText: isText)
    self.directory = place(directory)
    var firstKey = 0
    for application in parsed {
      guard let facts = application.facts else { preconditionFailure("a checked application has its facts") }
      place(application, firstKey: firstKey)
      applications.append(facts)
      firstKey += facts.keyRoles.count
    }
  }

  private static func applications(
    _ reader: inout ObjectReader, _ schemes: [CardScheme]
  ) -> [ApplicationCompiler] {
    // A missing list is reported when its members are read.
    if let count = reader.value("applications")?.list?.count, !(1...CardProfile.maximumApplications).contains(count) {
      reader.note("applications", "\(count) applications: the range is 1...\(CardProfile.maximumApplications)")
    }
    let parsed = reader.objects("applications") { ApplicationCompiler(&$0, schemes) }
    for (index, application) in parsed.enumerated() where !application.aid.isEmpty {
      if parsed[..<index].contains(where: { $0.aid == application.aid }) {
        reader.note("applications[\(index)].aid", "\(application.aid.hex) occurs more than once")
      }
    }
    return parsed
  }

  /// A card has one signing key, whatever the number of its applications.
  private static func checkSigningKeys(_ parsed: [ApplicationCompiler], _ reader: inout ObjectReader) {
    let keys = parsed.map(\.builder.signingKey)
    let first = keys.lazy.compactMap(\.self).first
    for (index, key) in keys.enumerated() where key != nil && key != first {
      reader.note(
        "applications[\(index)].records",
        "the certificate is for another key than that of the first application that signs")
    }
  }

  /// A terminal would take a signature of INTERNAL AUTHENTICATE over tag 9F37 alone for the signature of version 00 of kernel 7,
  /// which covers the same bytes with the same key.
  private static func checkSignedValues(_ parsed: [ApplicationCompiler], _ reader: inout ObjectReader) {
    guard let fast = parsed.firstIndex(where: \.builder.signsNumberAlone) else { return }
    for (index, application) in parsed.enumerated()
    where application.builder.internalAuthentication?.valueCount == FastSignature.numberCount {
      reader.note(
        "applications[\(index)].records",
        """
        tag 9F49 asks for tag 9F37 alone, and applications[\(fast)] signs tag 9F37 alone with the same key (fastAuthentication 0): \
        one signature could be taken for the other. Add a tag to 9F49, such as 9F0206, or set fastAuthentication to 1, or make two \
        cards with two keys
        """)
    }
  }

  /// The PPSE's FCI, ordered by priority (EMV Contactless Book B, table 3-2), and status word.
  private static func directory(_ parsed: [ApplicationCompiler]) -> [UInt8] {
    let ordered = parsed.enumerated().sorted {
      ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset)
    }
    let entries = ordered.map { TLVNode(.applicationTemplate, $0.element.directoryEntry) }
    let fci = TLVNode(
      .fciTemplate,
      [
        TLVNode(.dfName, FileControlInformation.ppseName),
        TLVNode(.fciProprietaryTemplate, [TLVNode(.fciIssuerDiscretionaryData, entries)]),
      ])
    return ResponseAPDU(data: fci.encoded).encoded
  }
}

// MARK: The arena

extension ImageCompiler {
  private mutating func place(_ run: [UInt8]) -> ArenaSlice {
    defer { octets += run }
    return ArenaSlice(offset: octets.count, count: run.count)
  }

  private mutating func place(response data: [UInt8]) -> ArenaSlice { place(ResponseAPDU(data: data).encoded) }

  private mutating func place(_ application: ApplicationCompiler, firstKey: Int) {
    let records = application.builder.records.map {
      KeyedResponse(parameters: $0.key, response: place(response: $0.data))
    }
    let objects = application.builder.dataObjects.map {
      KeyedResponse(parameters: UInt16(truncatingIfNeeded: $0.tag.rawValue), response: place(response: $0.encoded))
    }
    let issuer = application.builder.issuerExchange.flatMap { exchange in
      application.builder.cryptogramVersion.map { place(exchange, $0) }
    }
    let firstCommand = commands.count
    for program in application.builder.commands { place(program, pdol: application.builder.pdol) }
    images.append(
      ApplicationImage(
        aid: place(application.aid), selectResponse: place(response: application.information),
        commands: firstCommand..<commands.count, firstKey: firstKey,
        track2: place(application.builder.track2?.octets ?? []),
        track1: place(application.builder.track1?.octets ?? []),
        records: records, dataObjects: objects, issuer: issuer, recovery: application.builder.recovery ?? [],
        canRecover: application.builder.recovery != nil,
        internalAuthentication: application.builder.internalAuthentication))
  }

  private mutating func place(_ exchange: IssuerExchange, _ version: CryptogramVersion) -> IssuerImage {
    IssuerImage(
      refusal: place(ResponseAPDU(status: .conditionsNotSatisfied).encoded),
      takesExternalAuthenticate: exchange.takesExternalAuthenticate, startsAgain: exchange.startsAgain,
      response: version.response,
      scripts: exchange.writableTags.flatMap { tags in
        version.script.map { rule in
          IssuerImage.Scripts(
            coversTransaction: rule.coversTransaction, derivesKey: version.scriptKey == .common, writableTags: tags,
            wrongMACLimit: exchange.wrongMACLimit)
        }
      },
      second: exchange.second.map { second in
        IssuerImage.Second(
          valueCount: second.values.valueCount, authentication: second.authentication,
          answers: second.answers.map { place($0, false) }, signed: second.signed.map { place($0, false) })
      })
  }

  private mutating func place(_ program: CommandProgram, pdol: DataObjectList) {
    let isOptions = program.form == .processingOptions
    valueLists.append(isOptions ? pdol : DataObjectList(entries: program.values.entries + pdol.entries))
    let refusal = program.refusal.map { place($0) }
    let answer = place(program.answer, isOptions)
    for method in DeviceVerificationMethod.allCases {
      guard let answer = program.answersByMethod[method] else { continue }
      let approval = program.approvalsByMethod[method].map { place($0, isOptions) }
      methodAnswers.append(
        MethodResponse(
          command: commands.count, method: method, answer: place(answer, isOptions), approval: approval))
    }
    commands.append(
      CommandImage(
        code: program.code, form: program.form, parameters: program.form.parameters, stage: program.stage,
        next: program.next,
        valueCount: program.values.valueCount, computes: program.computes, completes: program.completes,
        mobileSupport: program.values.range(of: .mobileSupportIndicator).flatMap { $0.isEmpty ? nil : $0.lowerBound },
        terms: PaymentTermsLayout(isOptions ? nil : program.values, pdol: pdol), requirement: program.requirement,
        refusal: refusal, conflict: program.conflict.map { place($0) } ?? refusal, answer: answer,
        alternative: program.alternative.map { place($0, isOptions) } ?? answer,
        alternativeBits: program.alternativeBits, further: placeFurther(of: program, answer, isOptions)))
  }

  /// Places the responses of a card that signs; returns their position, or -1.
  private mutating func placeFurther(
    of program: CommandProgram, _ answer: ResponseImage, _ isOptions: Bool
  ) -> Int {
    guard program.signs else { return -1 }
    let signed = program.signed.map { place($0, isOptions) } ?? answer
    further.append(
      FurtherResponses(
        approval: program.approval.map { place($0, isOptions) } ?? answer, signed: signed,
        signedApproval: program.signedApproval.map { place($0, isOptions) } ?? signed, rule: program.approvalRule))
    return further.count - 1
  }

  private mutating func place(_ refusal: CommandProgram.Refusal) -> ArenaSlice {
    switch refusal {
    case .status(let status): place(ResponseAPDU(status: status).encoded)
    case .response(let data): place(response: data)
    }
  }

  private mutating func place(_ answer: CommandProgram.Answer, _ isOptions: Bool) -> ResponseImage {
    let data = place(answer.data)
    let placed = answer.fills.map { place($0, isOptions) }
    let numbers = answer.fills.compactMap { fill -> Int? in
      switch fill {
      case .cryptogram(let plan, _), .combinedSignature(_, let plan, _): plan.unpredictableNumber
      default: nil
      }
    }
    defer { fills += placed }
    longestResponseCount = max(
      longestResponseCount, answer.data.count + (answer.takesWalletData ? CardImage.maximumWalletDataCount : 0))
    return ResponseImage(
      data: data, firstFill: fills.count, fillCount: placed.count, keyNumber: numbers.first,
      takesWalletData: answer.takesWalletData)
  }

  private mutating func place(_ message: CryptogramMessage) -> PlanImage {
    PlanImage(message: place(message.template), steps: place(message.steps.flatMap(\.rawValue.bigEndianOctets)))
  }

  private mutating func place(_ fill: CommandProgram.Fill, _ isOptions: Bool) -> FillImage {
    switch fill {
    case .transactionCounter(let offset): .transactionCounter(at: offset)
    case .cryptogram(let plan, let offset):
      .cryptogram(plan.type, place(CryptogramMessage(plan, isOptions: isOptions)), at: offset)
    case .dynamicCode(let track, let number, let offset):
      .dynamicCode(isTrack1: track == .track1, number: number, at: offset)
    case .entropy(let offset): .entropy(at: offset)
    case .cardNumber(let offset): .cardNumber(at: offset)
    case .fastSignature(let signature, let offset): .fastSignature(signature, at: offset)
    case .combinedSignature(let signature, let plan, let offset):
      .combinedSignature(signature, place(CryptogramMessage(plan, isOptions: isOptions)), at: offset)
    case .walletData(let offsets): .walletData(outer: offsets.first ?? 0, inner: offsets.dropFirst().first ?? 0)
    }
  }
}
