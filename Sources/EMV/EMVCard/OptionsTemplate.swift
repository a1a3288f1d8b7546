internal import EMVData
internal import ISO7816
internal import Octets

/// The answer to GET PROCESSING OPTIONS in format 2 with holes for counter, cryptogram and qualifiers
/// (EMV Contactless Book C-3, 5.3: a qVSDC card answers with its cryptogram).
struct OptionsTemplate {
  let response: [UInt8]
  let atcOffset: Int
  let cryptogramOffset: Int
  let qualifiersOffset: Int
  private let further: [TLVNode]

  init(
    interchangeProfile: [UInt8], locator: ApplicationFileLocator, issuerData: [UInt8], qualifiers: [UInt8],
    further: [TLVNode]
  ) {
    let fixed = [
      TLVNode(.applicationInterchangeProfile, interchangeProfile),
      TLVNode(.applicationFileLocator, locator.encoded),
      TLVNode(.issuerApplicationData, issuerData),
      TLVNode(.cryptogramInformationData, [CryptogramType.arqc.cryptogramInformationData]),
    ]
    let holes = [
      TLVNode(.cardTransactionQualifiers, qualifiers), TLVNode(.applicationTransactionCounter, [0, 0]),
      TLVNode(.applicationCryptogram, [UInt8](repeating: 0, count: 8)),
    ]
    response = ResponseAPDU(data: TLVNode(.responseFormat2, fixed + further + holes).encoded).encoded
    // The holes are the last of the template, so they are found from its end.
    let end = response.count - 2
    cryptogramOffset = end - 8
    atcOffset = cryptogramOffset - 3 - 2
    qualifiersOffset = atcOffset - 3 - 2
    self.further = further
  }

  /// A terminal ends the application when a data object comes twice (EMV 4.4 Book 3, 10.2; Book C-3, 5.4.2).
  func check(_ path: String, _ records: [CompiledRecord], _ reader: inout ProfileReader) {
    let own: [Tag] = [
      .applicationInterchangeProfile, .applicationFileLocator, .issuerApplicationData, .cryptogramInformationData,
      .applicationTransactionCounter, .applicationCryptogram, .cardTransactionQualifiers,
    ]
    for (index, node) in further.enumerated() where own.contains(node.tag) {
      reader.report("\(path)[\(index)]", "tag \(node.tag) is the card's own to give")
    }
    let objects = further + records.flatMap(\.nodes)
    for tag in Set(objects.map(\.tag)).sorted() where objects.count(where: { $0.tag == tag }) > 1 {
      reader.report(path, "tag \(tag) comes more than once in these and the records: terminals refuse that")
    }
    if response.count > shortResponseCapacity {
      reader.report(path, "the answer to GET PROCESSING OPTIONS has \(response.count - 2) octets: the limit is 256")
    }
  }
}
