public import EMVCard
public import EMVData
internal import EMVDecoding
internal import ISO7816
internal import JSON
internal import Octets

/// A card profile in words: its applications with their data objects decoded.
public struct CardText {
  private let image: CardImage
  private let profile: CardProfile
  private let isShown: (PrimaryAccountNumber) -> Bool

  /// Describes a card.
  ///
  /// - Parameters:
  ///   - image: The card, compiled from the profile.
  ///   - profile: The profile.
  ///   - isShown: Whether an account number may be shown. The data of other cards are masked.
  public init(_ image: CardImage, _ profile: CardProfile, isShown: @escaping (PrimaryAccountNumber) -> Bool) {
    (self.image, self.profile, self.isShown) = (image, profile, isShown)
  }

  /// The lines, indented. A number that is masked is masked in all of them.
  public var lines: [String] {
    let numbers = KnownNumbers(image.applications.map(\.accountNumber).filter { !isShown($0) })
    return plainLines.map(numbers.masked)
  }

  private var plainLines: [String] {
    let count = image.applications.count
    var lines = ["\(image.name): \(count.counted("application"))"]
    for (facts, application) in zip(image.applications, profile.applications) {
      lines += [""] + self.lines(facts, application).enumerated().map { $0 == 0 ? $1 : "  " + $1 }
    }
    if let faults = profile.faults, !faults.isEmpty {
      lines += [
        "",
        "fault plan, applied on request: " + faults.compactMap { $0["what"]?["kind"]?.text }.joined(separator: ", "),
      ]
    }
    return lines
  }

  private func lines(_ facts: CardImage.Application, _ application: CardProfile.Application) -> [String] {
    let isShown = isShown(facts.accountNumber)
    let number = isShown ? facts.accountNumber.exposedDigits : facts.accountNumber.masked
    var lines = [
      "\(facts.aid) \"\(facts.label)\", kernel \(facts.scheme), priority \(application.priority)",
      "account number \(number), sequence number \(facts.sequenceNumber.hex)",
      "\(facts.cryptogramVersion), \(facts.uses.counted("payment")) from counter \(facts.firstATC) on",
    ]
    if application.cryptogram.system == .commonCore {
      lines.append(
        "the cryptogram is EMV's common core, not the payment system's own: it proves the flow, not the scheme")
    }
    lines += objects(["82 \(application.aip)"], isShown)
    let kernel = CardScheme.shipped.first { $0.name == facts.scheme }?.kernelIdentifier.first
      .flatMap(ContactlessKernel.init(rawValue:))
    lines += list("asks for at GET PROCESSING OPTIONS (9F38)", facts.pdol, kernel)
    lines += list("asks for at GENERATE AC (8C)", facts.cdol1, kernel)
    lines += list("asks for at COMPUTE CRYPTOGRAPHIC CHECKSUM (9F69)", facts.udol, kernel)
    for (title, texts) in [
      ("answer to SELECT", (application.fci ?? []) + (application.issuerDiscretionary ?? [])),
      (
        "answer to GET PROCESSING OPTIONS",
        (application.ctq.map { ["9F6C \($0)"] } ?? []) + (application.processingOptions ?? [])
      ),
      ("GET DATA", application.getData ?? []),
    ] where !texts.isEmpty {
      lines += [title + ":"] + objects(texts, isShown).map { "  " + $0 }
    }
    for record in application.records {
      lines += ["SFI \(record.sfi) record \(record.record):"] + objects(record.data, isShown).map { "  " + $0 }
    }
    return lines
  }

  private func list(_ title: String, _ list: DataObjectList?, _ kernel: ContactlessKernel?) -> [String] {
    guard let list, !list.entries.isEmpty else { return [] }
    let lines = list.entries.map { entry in
      "  \(entry.tag) \(DataElement.named(entry.tag, kernel: kernel)?.name ?? "unknown"), \(entry.count)"
    }
    return ["\(title):"] + lines
  }

  /// Data objects as the profile writes them, decoded. The profile was checked before.
  private func objects(_ texts: [String], _ isShown: Bool) -> [String] {
    let nodes = texts.compactMap(CardProfile.dataObject)
    return DecodedNode(dataObjects: nodes.encoded, unmasked: isShown).children.flatMap(\.lines)
  }
}
