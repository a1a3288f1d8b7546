internal import EMVData
internal import ISO7816
internal import Octets
public import Transcripts

/// What an exchange of a payment is about, in one line.
public struct ExchangeMeaning {
  private let command: [UInt8]
  private let objects: [TLVNode]
  private let information: FileControlInformation?

  /// Reads an exchange.
  ///
  /// - Parameter exchange: An exchange as it may be shown.
  public init(_ exchange: Transcript.Exchange) {
    command = exchange.command
    let response = exchange.response.flatMap { try? ResponseAPDU(parsing: $0.span) }
    let data = response?.data ?? []
    objects = ((try? [TLVNode](parsing: data.span)) ?? []).flatMap { $0.tag.isConstructed ? $0.children : [$0] }
    information = try? FileControlInformation(parsing: data)
  }

  /// The line; empty for a response without data objects.
  public var text: String {
    switch command.dropFirst().first {
    case Instruction.select: selection
    case Instruction.getProcessingOptions:
      (command.count > 8 ? "the terminal gives what the card asked for; " : "") + answer
    case Instruction.readRecord: "the card has " + names
    default: objects.isEmpty ? "" : answer
    }
  }

  private var selection: String {
    if let directory = information?.directory, !directory.isEmpty {
      let entries = directory.map { entry in
        "\(entry.adfName.octets.hex)" + (entry.label.map { " \($0.visible())" } ?? "")
      }
      return "the card has " + entries.joined(separator: ", ")
    }
    guard let pdol = information?.pdol, let list = try? DataObjectList(parsing: pdol), !list.entries.isEmpty else {
      return "the card opens the application"
    }
    return "the card opens the application and asks for \(list.entries.count.counted("value"))"
  }

  /// The cryptogram and the counter, or what else the response has.
  private var answer: String {
    guard let cryptogram else { return "the card answers with " + names }
    let name = CryptogramType(cryptogramInformationData: cryptogram.information)?.rawValue ?? "cryptogram"
    let counter = cryptogram.counter.reduce(0) { $0 << 8 | Int($1) }
    return "the card answers with \(name) \(cryptogram.value.hex), counter \(counter)"
  }

  /// Tags 9F27, 9F36 and 9F26, as data objects or as the fields of format 1 (EMV 4.4 Book 3, 6.5.5.4).
  private var cryptogram: (information: UInt8, counter: [UInt8], value: [UInt8])? {
    if let value = objects.first(.applicationCryptogram)?.value,
      let information = objects.first(.cryptogramInformationData)?.value.first,
      let counter = objects.first(.applicationTransactionCounter)?.value
    {
      return (information, counter, value)
    }
    guard command.dropFirst().first == Instruction.generateAC, let fields = objects.first(.responseFormat1)?.value,
      fields.count >= 11
    else { return nil }
    return (fields[0], Array(fields[1..<3]), Array(fields[3..<11]))
  }

  /// The first data elements by name.
  private var names: String {
    guard !objects.isEmpty else { return "its response" }
    let names = objects.map { DataElement.named($0.tag)?.name ?? "tag \($0.tag)" }
    let further = names.count > 3 ? " and \(names.count - 3) more" : ""
    // Names such as "Application Version Number, card" have commas.
    return names.prefix(3).joined(separator: "; ") + further
  }
}
