internal import EMVData
internal import ISO7816
internal import Octets

// The answer to GENERATE AC (EMV 4.4 Book 3, 6.5.5.4), and data objects in template 77 as the checksum has them, too.
enum GeneratedCryptogram {
  // Template 80: tags 9F27, 9F36, 9F26 and, where there is more, 9F10. Template 77: data objects.
  static func elements(_ response: ResponseAPDU) throws(StepFailure) -> [TLVNode] {
    let template = try template(response, .generateCryptogram)
    guard template.tag == .responseFormat1 else { return try format2(template, .generateCryptogram) }
    let value = template.value
    guard (11...43).contains(value.count) else {
      throw StepFailure(.generateCryptogram, .malformed("template 80 has \(value.count) octets: 11 to 43 are needed"))
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
    } catch { throw StepFailure(phase, .malformed("the answer is no BER-TLV: \(error)")) }
    guard nodes.count == 1, let template = nodes.first else {
      throw StepFailure(phase, .malformed("the answer has \(nodes.count) templates: one is needed"))
    }
    return template
  }

  static func format2(_ template: TLVNode, _ phase: TransactionPhase) throws(StepFailure) -> [TLVNode] {
    guard template.tag == .responseFormat2 else {
      throw StepFailure(phase, .malformed("the answer is in template \(template.tag), which does not belong there"))
    }
    return template.children
  }

  // What was asked for bounds what may come: an AAC always, what was asked, and nothing above (EMV 4.4 Book 3, 9.3).
  static func type(_ card: CardData, asked: CryptogramType) throws(StepFailure) -> CryptogramType {
    let phase = TransactionPhase.generateCryptogram
    let information = try Kernel2.required(.cryptogramInformationData, 1...1, card, phase)
    guard let type = CryptogramType(cryptogramInformationData: information[0]) else {
      throw StepFailure(phase, .reservedCryptogram)
    }
    _ = try Kernel2.required(.applicationTransactionCounter, 2...2, card, phase)
    guard type == .aac || type == asked else {
      throw StepFailure(phase, type == .tc ? .offlineApprovalNotAsked : .cryptogramNotAsked)
    }
    _ = try Kernel2.required(.applicationCryptogram, 8...8, card, phase)
    _ = try Kernel2.optional(.issuerApplicationData, 1...32, card, phase)
    return type
  }
}
