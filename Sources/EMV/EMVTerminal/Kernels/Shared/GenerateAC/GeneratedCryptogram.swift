internal import EMVData
internal import ISO7816

// The response to GENERATE AC (EMV 4.4 Book 3, 6.5.5.4), and template 77 of COMPUTE CRYPTOGRAPHIC CHECKSUM.
enum GeneratedCryptogram {
  // Template 80: the values of tags 9F27, 9F36, 9F26 and, optionally, 9F10. Template 77: data objects.
  static func elements(_ response: ResponseAPDU) throws(StepFailure) -> [TLVNode] {
    let template = try template(response, .generateCryptogram)
    guard template.tag == .responseFormat1 else { return try format2(template, .generateCryptogram) }
    let value = template.value
    guard (11...43).contains(value.count) else {
      throw StepFailure(.generateCryptogram, .malformed("template 80 has \(value.count) bytes: 11 to 43 are needed"))
    }
    let whole: [(Tag, ArraySlice<UInt8>)] = [
      (.cryptogramInformationData, value[0..<1]), (.applicationTransactionCounter, value[1..<3]),
      (.applicationCryptogram, value[3..<11]), (.issuerApplicationData, value[11...]),
    ]
    return whole.filter { !$0.1.isEmpty }.map { TLVNode($0.0, Array($0.1)) }
  }

  static func template(_ response: ResponseAPDU, _ phase: TransactionPhase) throws(StepFailure) -> TLVNode {
    guard response.status.isOK else { throw StepFailure(phase, .status(response.status)) }
    let nodes: [TLVNode]
    do throws(TLVError) {
      nodes = try [TLVNode](parsing: response.data.span)
    } catch { throw StepFailure(phase, .malformed("the response is not BER-TLV: \(error)")) }
    guard nodes.count == 1, let template = nodes.first else {
      throw StepFailure(phase, .malformed("the response has \(nodes.count) templates: one is needed"))
    }
    return template
  }

  static func format2(_ template: TLVNode, _ phase: TransactionPhase) throws(StepFailure) -> [TLVNode] {
    guard template.tag == .responseFormat2 else {
      throw StepFailure(phase, .malformed("the response is in template \(template.tag): 77 is needed"))
    }
    return template.children
  }

  // The card may return the requested type or a weaker one: AAC, ARQC, TC (EMV 4.4 Book 3, 9.3 and 10.7).
  static func type(_ card: CardData, asked: CryptogramType) throws(StepFailure) -> CryptogramType {
    let phase = TransactionPhase.generateCryptogram
    let information = try card.required(.cryptogramInformationData, 1...1, phase)
    guard let type = CryptogramType(cryptogramInformationData: information[0]) else {
      throw StepFailure(phase, .reservedCryptogram)
    }
    _ = try card.required(.applicationTransactionCounter, 2...2, phase)
    guard type == .aac || type == asked || type == .arqc && asked == .tc else {
      throw StepFailure(phase, type == .tc ? .offlineApprovalNotAsked : .cryptogramNotAsked)
    }
    return type
  }

  // Checks the cryptogram, which CDA takes out of the signature, and tag 9F10.
  static func checkData(_ card: CardData) throws(StepFailure) {
    let phase = TransactionPhase.generateCryptogram
    _ = try card.required(.applicationCryptogram, 8...8, phase)
    _ = try card.optional(.issuerApplicationData, 1...32, phase)
  }
}
