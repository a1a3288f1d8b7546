internal import EMVData
internal import ISO7816

/// A payment whose card left while it made its cryptogram: what the kernel needs to take the response of RECOVER AC in its
/// place. Its bytes hold the account number: they stay in the memory of the process.
struct TornTransaction: Hashable, Sendable {
  /// The data objects by which the payment is found again: the card, and the payment as the terminal asked for it.
  let identity: [TLVNode]
  /// The terminal's data objects as they went to the card: tags 95, 9F34 and 9F37.
  let terminal: [TLVNode]
  /// P1 of GENERATE AC, and its data.
  let reference: UInt8
  let riskManagement: [UInt8]
  /// The values of DRDOL, the data of RECOVER AC.
  let recovery: [UInt8]
  /// The values of GET PROCESSING OPTIONS, which a signature covers.
  let options: [UInt8]
  /// The relay resistance data, which a signature covers; nil without an exchange.
  let relayData: [UInt8]?
  /// How the cardholder was verified.
  let method: CardholderVerificationMethod

  /// The type that was asked for: bits 8 and 7 of P1.
  var asked: CryptogramType? { CryptogramType(cryptogramInformationData: reference & 0xC0) }
  /// Whether a signature was asked for: bit 5 of P1.
  var isSigned: Bool { reference & 0x10 != 0 }
}

// The kernel's own encoding.
extension TornTransaction {
  private static let identityTag: Tag = 0xE1
  private static let terminalTag: Tag = 0xE2
  private static let referenceTag: Tag = 0xC1
  private static let riskManagementTag: Tag = 0xC2
  private static let recoveryTag: Tag = 0xC3
  private static let optionsTag: Tag = 0xC4
  private static let relayTag: Tag = 0xC5
  private static let methodTag: Tag = 0xC6

  /// The template of one payment.
  var node: TLVNode {
    var children = [
      TLVNode(Self.identityTag, identity), TLVNode(Self.terminalTag, terminal),
      TLVNode(Self.referenceTag, [reference]), TLVNode(Self.riskManagementTag, riskManagement),
      TLVNode(Self.recoveryTag, recovery), TLVNode(Self.optionsTag, options),
      TLVNode(Self.methodTag, Array(method.rawValue.utf8)),
    ]
    if let relayData { children.append(TLVNode(Self.relayTag, relayData)) }
    return TLVNode(0xE0, children)
  }

  /// Reads a template; nil for another one.
  init?(_ node: TLVNode) {
    func part(_ tag: Tag) -> TLVNode? { node.children.first { $0.tag == tag } }
    guard let identity = part(Self.identityTag)?.children, let terminal = part(Self.terminalTag)?.children,
      let reference = part(Self.referenceTag)?.value.first, let risk = part(Self.riskManagementTag)?.value,
      let recovery = part(Self.recoveryTag)?.value, let options = part(Self.optionsTag)?.value,
      let method = part(Self.methodTag).flatMap({
        CardholderVerificationMethod(rawValue: String(decoding: $0.value, as: UTF8.self))
      })
    else { return nil }
    self.init(
      identity: identity, terminal: terminal, reference: reference, riskManagement: risk, recovery: recovery,
      options: options, relayData: part(Self.relayTag)?.value, method: method)
  }
}

/// The torn payments that a kernel keeps in its memory, oldest first.
struct TornTransactionLog {
  private(set) var transactions: [TornTransaction]

  /// Reads a memory; one of another form is empty.
  init(_ memory: KernelMemory) {
    let nodes = (try? [TLVNode](parsing: memory.octets.span)) ?? []
    transactions = nodes.compactMap(TornTransaction.init)
  }

  /// The log as a memory.
  var memory: KernelMemory { KernelMemory(octets: transactions.map(\.node).encoded) }

  /// Keeps a payment; the oldest one goes when there are more than `limit`.
  mutating func keep(_ transaction: TornTransaction, limit: Int) {
    transactions.removeAll { $0.identity == transaction.identity }
    transactions.append(transaction)
    transactions.removeFirst(max(0, transactions.count - limit))
  }

  /// Takes out the payment with an identity; nil without one.
  mutating func take(_ identity: [TLVNode]) -> TornTransaction? {
    guard let index = transactions.firstIndex(where: { $0.identity == identity }) else { return nil }
    return transactions.remove(at: index)
  }
}
