internal import EMVData
internal import ISO7816
internal import Octets

extension PersonalisationReader {
  private static let pinTryCounter: Tag = 0x9F17

  /// Puts the parts together; nil when one is missing, which is reported then.
  mutating func application(
    _ information: Information, _ options: Options, _ records: [CardProfile.Record]
  ) -> CardProfile.Application? {
    let uses = number(.uses, 0...0xFFFF)
    let counter = number(.firstATC, 1...0xFFFF)
    let tryCounter = tryCounter()
    guard let aid = identifier(information), let (scheme, mapping) = scheme(aid) else { return nil }
    let cryptogram = cryptogram(mapping, options)
    guard let cryptogram else { return nil }
    let inner = information.proprietary
    let label = inner.first { $0.tag == .applicationLabel }.map { String(decoding: $0.value, as: UTF8.self) }
    let priority = inner.first { $0.tag == .applicationPriorityIndicator }?.value.first.map { Int($0 & 0x0F) }
    let separate: [Tag] = [.applicationLabel, .applicationPriorityIndicator, .pdol, .fciIssuerDiscretionaryData]
    return CardProfile.Application(
      aid: aid.hex, label: label ?? mapping.label, priority: priority ?? 1, kernel: scheme.name,
      pdol: inner.first { $0.tag == .pdol }?.value.hex ?? "",
      fci: inner.filter { !separate.contains($0.tag) }.map(\.profileText),
      issuerDiscretionary: inner.first { $0.tag == .fciIssuerDiscretionaryData }?.children.map(\.profileText),
      aip: options.objects.first { $0.tag == .applicationInterchangeProfile }?.value.hex ?? "", cryptogram: cryptogram,
      processingOptions: further(options, mapping), records: records, getData: tryCounter, firstATC: counter,
      uses: uses,
      schemeKeys: mapping.keys(options.objects))
  }

  /// The data objects that the card does not give itself.
  private func further(_ options: Options, _ mapping: CardScheme.Personalisation) -> [String] {
    let own = CommandProgram.ownTags.union(mapping.ownTags)
    return options.objects.filter { !own.contains($0.tag) }.map(\.profileText)
  }

  private mutating func identifier(_ information: Information) -> [UInt8]? {
    if let text = file.directives[.aid] {
      if let octets = try? [UInt8](hex: text), AID.counts.contains(octets.count) { return octets }
      report("#@ aid: 5 to 16 bytes in hexadecimal are needed")
      return nil
    }
    if let name = information.name { return name }
    report("no application identifier: tag 84 in DGI 9103 or 9102, or a line \"#@ aid\", is needed")
    return nil
  }

  private mutating func scheme(_ aid: [UInt8]) -> (CardScheme, CardScheme.Personalisation)? {
    for scheme in schemes {
      if let mapping = scheme.personalisation, aid.starts(with: mapping.provider) { return (scheme, mapping) }
    }
    report("application \(aid.hex): this engine has no scheme of this provider")
    return nil
  }

  private mutating func cryptogram(
    _ mapping: CardScheme.Personalisation, _ options: Options
  ) -> CardProfile.Cryptogram? {
    let fromOptions = options.objects.first { $0.tag == .issuerApplicationData }?.value
    var issuerData = fromOptions
    if fromOptions == nil, let grouping = take([0x9200], for: "the issuer application data") {
      issuerData = objects(grouping).first(.issuerApplicationData)?.value
    }
    guard let issuerData else {
      report("no issuer application data: tag 9F10 in DGI 9200 or beside tags 82 and 94 is needed")
      return nil
    }
    guard let cryptogram = mapping.cryptogram(issuerData) else {
      report(
        "the issuer application data, tag 9F10, have \(issuerData.count.bytes) "
          + "and a layout that this engine does not know"
      )
      return nil
    }
    return cryptogram
  }

  private mutating func tryCounter() -> [String]? {
    guard let grouping = take([0x9010], for: "the PIN try counter") else { return nil }
    if grouping.count == 2 { return [TLVNode(Self.pinTryCounter, [grouping.data[0]]).profileText] }
    if let value = objects(grouping).first(Self.pinTryCounter)?.value.first {
      return [TLVNode(Self.pinTryCounter, [value]).profileText]
    }
    report("\(grouping.count.bytes): the PIN try counter and its limit, or tag 9F17, are needed", grouping)
    return nil
  }

  private mutating func number(_ directive: PersonalisationFile.Directive, _ range: ClosedRange<Int>) -> Int? {
    guard let text = file.directives[directive] else { return nil }
    if let number = Int(text), range.contains(number) { return number }
    report("#@ \(directive.rawValue): a whole number is needed, \(range.lowerBound)...\(range.upperBound)")
    return nil
  }
}
