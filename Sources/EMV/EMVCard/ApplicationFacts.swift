internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import Octets

/// Gathers what a wallet and an issuer need to know of an application.
struct ApplicationFacts {
  private let profile: CardProfile.Application
  private let objects: [TLVNode]
  private let pdol: DataObjectList
  private let version: CryptogramVersion
  private let generation: GenerationTemplate?
  private let isGenerating: Bool
  private let checksum: ChecksumTemplate?

  init(
    _ profile: CardProfile.Application, _ records: [CompiledRecord], _ pdol: DataObjectList,
    _ version: CryptogramVersion, _ generation: GenerationTemplate?, _ checksum: ChecksumTemplate?,
    isGenerating: Bool
  ) {
    self.profile = profile
    objects = records.flatMap(\.nodes)
    self.pdol = pdol
    self.version = version
    self.generation = generation
    self.checksum = checksum
    self.isGenerating = isGenerating
  }

  func make(_ aid: [UInt8], _ path: String, _ reader: inout ProfileReader) -> CardImage.Application? {
    let number = accountNumber(path + ".records", &reader)
    let isMagStripeOnly = !isGenerating && objects.contains { isTrack2($0.tag) }
    let sequence = objects.first { $0.tag == .panSequenceNumber }?.value.first ?? (isMagStripeOnly ? 0 : nil)
    if sequence == nil { reader.report(path + ".records", "tag 5F34 is missing: the issuer derives the key with it") }
    let counter = reader.number(profile.firstATC ?? 1, path + ".firstATC", 1...0xFFFF)
    let uses = reader.number(profile.uses ?? 10, path + ".uses", 0...0xFFFF)
    guard let identifier = AID(aid), let number, let sequence else { return nil }
    return CardImage.Application(
      aid: identifier, label: profile.label, kernel: profile.kernel, accountNumber: number, sequenceNumber: sequence,
      cryptogramVersion: version, pdol: pdol, cdol1: generation?.list, udol: checksum?.list,
      track2Data: checksum?.track2.octets, track2Positions: checksum?.track2.positions,
      track1Data: checksum?.track1?.octets, track1Positions: checksum?.track1?.positions,
      firstATC: UInt16(counter), uses: uses)
  }

  private func accountNumber(_ path: String, _ reader: inout ProfileReader) -> PrimaryAccountNumber? {
    let plain = objects.first { $0.tag == .primaryAccountNumber }
    let tracks = objects.filter { $0.tag == .track2EquivalentData || isTrack2($0.tag) }
    let fromPlain = plain.flatMap { PrimaryAccountNumber(compressedNumeric: $0.value) }
    if plain != nil, fromPlain == nil { reader.report(path, "tag 5A is no account number") }
    var numbers = [fromPlain].compactMap(\.self)
    for track in tracks {
      if let number = Track2EquivalentData(track.value)?.accountNumber {
        numbers.append(number)
      } else {
        reader.report(path, "tag \(track.tag) is no track 2 equivalent data")
      }
    }
    if plain == nil, tracks.isEmpty {
      reader.report(path, "tag 5A or 57 is missing: the account number must be readable")
    }
    if Set(numbers).count > 1 {
      let tags = (tracks.map(\.tag) + [plain].compactMap { $0?.tag }).sorted()
      let names = tags.map { "\($0)" }.joined(separator: " and ")
      reader.report(path, "tags \(names) have different account numbers")
    }
    return numbers.first
  }

  private func isTrack2(_ tag: Tag) -> Bool { tag == KernelTwoTag.track2Data && profile.kernel == .mastercard }
}
