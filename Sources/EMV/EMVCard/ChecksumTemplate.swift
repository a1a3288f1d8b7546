internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import Octets

/// Tags as kernel 2 knows them; some mean something else to other kernels.
enum KernelTwoTag {
  static let track1Data: Tag = 0x56
  static let track1CVC3: Tag = 0x9F60
  static let track2CVC3: Tag = 0x9F61
  static let track1Positions: (cvc3: Tag, shared: Tag, digits: Tag) = (0x9F62, 0x9F63, 0x9F64)
  static let track2Positions: (cvc3: Tag, shared: Tag, digits: Tag) = (0x9F65, 0x9F66, 0x9F67)
  static let udol: Tag = 0x9F69
  static let unpredictableNumberNumeric: Tag = 0x9F6A
  static let track2Data: Tag = 0x9F6B
  static let mobileSupportIndicator: Tag = 0x9F7E
  static let cardholderInteraction: Tag = 0xDF4B

  /// The lengths of those that the dictionary has for another kernel.
  static let lengths: [Tag: ClosedRange<Int>] = [track2Positions.shared: 2...2, udol: 1...252]
}

/// The mag-stripe mode that the records of an application describe, and the answers to COMPUTE CRYPTOGRAPHIC CHECKSUM.
struct ChecksumTemplate {
  /// Tag DF4B byte 2 bit 1: a verification of the holder is required. Seen in public recordings of phones.
  static let verificationRequired: [UInt8] = [0x00, 0x01, 0x00]
  /// Byte 2 bit 5: it was successful. Read in terminals' public sources.
  static let verificationSuccessful: [UInt8] = [0x00, 0x10, 0x00]

  struct TrackData {
    let octets: [UInt8]
    let positions: TrackPositions
  }

  let list: DataObjectList
  let track2: TrackData
  let track1: TrackData?

  /// Nil when there is no mag-stripe mode, or a wrong one that has been reported.
  init?(_ records: [CompiledRecord], _ path: String, _ reader: inout ProfileReader) {
    let objects = records.flatMap(\.nodes)
    guard objects.contains(where: { $0.tag == KernelTwoTag.track2Data }) else {
      for node in objects where Self.others.contains(node.tag) {
        reader.report(path, "tag \(node.tag) belongs to a mag-stripe mode, which needs tag 9F6B")
      }
      return nil
    }
    let entries = CompiledRecord.locator(of: records).entries
    if let first = entries.first, first.sfi != 1 || first.records != 1...1 {
      // A terminal knows both modes apart by this entry.
      reader.report(path, "with a mag-stripe mode, record 1 of SFI 1 must come first and have an entry of its own")
    }
    let udol = objects.first { $0.tag == KernelTwoTag.udol }?.value
    list = Self.list(udol, path, &reader)
    let second = Self.track(.track2, KernelTwoTag.track2Data, KernelTwoTag.track2Positions, objects, path, &reader)
    track1 = Self.track(.track1, KernelTwoTag.track1Data, KernelTwoTag.track1Positions, objects, path, &reader)
    guard let second else { return nil }
    track2 = second
    if let track1, track1.positions.unpredictableDigitCount != track2.positions.unpredictableDigitCount {
      reader.report(path, "tracks 1 and 2 take different numbers of unpredictable digits: terminals refuse that")
    }
  }

  private static let others: [Tag] = [
    KernelTwoTag.track1Data, KernelTwoTag.track1Positions.cvc3, KernelTwoTag.track1Positions.shared,
    KernelTwoTag.track1Positions.digits, KernelTwoTag.track2Positions.cvc3, KernelTwoTag.track2Positions.shared,
    KernelTwoTag.track2Positions.digits, KernelTwoTag.udol,
  ]

  /// A card without tag 9F69 is asked with tag 9F6A alone.
  private static func list(_ udol: [UInt8]?, _ path: String, _ reader: inout ProfileReader) -> DataObjectList {
    let own = DataObjectList(entries: [.init(tag: KernelTwoTag.unpredictableNumberNumeric, count: 4)])
    guard let udol, let list = reader.list(udol, path, limit: 255, name: "tag 9F69") else { return own }
    if list.range(of: KernelTwoTag.unpredictableNumberNumeric)?.count != 4 {
      reader.report(path, "tag 9F69 must ask for tag 9F6A with length 4: the codes cover it")
    }
    return list
  }

  private static func track(
    _ track: TrackPositions.Track, _ data: Tag, _ tags: (cvc3: Tag, shared: Tag, digits: Tag), _ objects: [TLVNode],
    _ path: String, _ reader: inout ProfileReader
  ) -> TrackData? {
    let value = { (tag: Tag) in objects.first { $0.tag == tag }?.value }
    let (octets, cvc3, shared, digits) = (value(data), value(tags.cvc3), value(tags.shared), value(tags.digits)?.first)
    if octets == nil, cvc3 == nil, shared == nil, digits == nil { return nil }
    guard let octets, let cvc3, let shared, let digits else {
      let missing = [data, tags.cvc3, tags.shared, tags.digits].filter { value($0) == nil }
      let names = missing.map { "\($0)" }.joined(separator: ", ")
      reader.report(path, "the mag-stripe mode lacks \(missing.count == 1 ? "tag" : "tags") \(names)")
      return nil
    }
    let positions = TrackPositions(
      track, cvc3: cvc3, unpredictableNumberAndCounter: shared, counterDigits: digits)
    guard let positions else {
      reader.report(path, "tags \(tags.shared) and \(tags.digits) leave no 0...8 unpredictable digits")
      return nil
    }
    let probe = DynamicTrackData(cvc3: CVC3(0), unpredictableNumber: 0, atc: 0, isVerifiedOnDevice: false)
    if positions.filled(octets, with: probe) == nil {
      reader.report(path, "tag \(data) is no track with room for the positions of its digits")
    }
    return TrackData(octets: octets, positions: positions)
  }

  func place(in compiler: inout ImageCompiler, pdol: DataObjectList) -> ChecksumImage {
    let response = ResponseAPDU(data: TLVNode(.responseFormat2, nodes([])).encoded).encoded
    let mobile = TLVNode(KernelTwoTag.cardholderInteraction, Self.verificationSuccessful)
    let wish = TLVNode(KernelTwoTag.cardholderInteraction, Self.verificationRequired)
    let refusal = TLVNode(.responseFormat2, [TLVNode(.applicationTransactionCounter, [0, 0]), wish])
    return ChecksumImage(
      valueCount: list.valueCount, terms: PaymentTermsLayout(list, pdol: pdol),
      unpredictableNumber: list.range(of: KernelTwoTag.unpredictableNumberNumeric)?.lowerBound ?? 0,
      mobileSupport: list.mobileSupport, track2: compiler.place(track2.octets),
      track1: compiler.place(track1?.octets ?? []), response: compiler.place(response),
      mobileResponse: compiler.place(
        ResponseAPDU(data: TLVNode(.responseFormat2, nodes([mobile])).encoded).encoded),
      track2Offset: 2 + 3, track1Offset: track1 == nil ? nil : 2 + 5 + 3, atcOffset: track1 == nil ? 10 : 15,
      refusal: compiler.place(ResponseAPDU(data: refusal.encoded).encoded))
  }

  private func nodes(_ last: [TLVNode]) -> [TLVNode] {
    [TLVNode(KernelTwoTag.track2CVC3, [0, 0])]
      + (track1 == nil ? [] : [TLVNode(KernelTwoTag.track1CVC3, [0, 0])])
      + [TLVNode(.applicationTransactionCounter, [0, 0])] + last
  }
}

extension DataObjectList {
  /// Where the first octet of tag 9F7E lies among the values, or nil.
  var mobileSupport: Int? {
    range(of: KernelTwoTag.mobileSupportIndicator).flatMap { $0.isEmpty ? nil : $0.lowerBound }
  }
}
