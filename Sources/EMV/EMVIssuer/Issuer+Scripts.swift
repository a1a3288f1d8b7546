internal import EMVCryptography
public import EMVData
public import ISO7816
public import Octets
internal import Synchronization

extension Issuer {
  /// Returns the key of a card for the integrity of scripts, which an issuer personalises.
  public func cardScriptKey(of account: IssuerAccount) -> Secret {
    deriveICCMasterKey(
      from: keys.script, account.cryptogramVersion.derivation, accountNumber: account.accountNumber,
      sequenceNumber: account.sequenceNumber)
  }

  /// Makes the scripts of a response: templates 71, then templates 72, with one chain of MACs through all commands (EMV 4.4
  /// Book 2, 9.2.1.1).
  ///
  /// - Parameters:
  ///   - cryptogram: The card's cryptogram, tag 9F26.
  ///   - counter: Tag 9F36.
  /// - Returns: The templates one after the other. Empty without orders, and for a card whose cryptogram version has no
  ///   scripts.
  public func scripts(
    _ orders: [ScriptOrder], for account: IssuerAccount, cryptogram: UInt64, counter: UInt16
  ) -> [UInt8] {
    let key = cardScriptKey(of: account)
    guard
      var chain = ScriptMACChain(
        account.cryptogramVersion, masterKey: key, atc: counter, cryptogram: cryptogram)
    else { return [] }
    var templates: [TLVNode] = []
    for moment in [ScriptOrder.Moment.beforeSecondCryptogram, .afterSecondCryptogram] {
      for order in orders where order.moment == moment {
        let commands = order.commands.map { TLVNode(0x86, Self.command($0, &chain)) }
        let identifier = order.identifier.map { [TLVNode(0x9F18, $0.bigEndianOctets)] } ?? []
        templates.append(TLVNode(moment == .beforeSecondCryptogram ? 0x71 : 0x72, identifier + commands))
      }
    }
    return templates.encoded
  }

  private static func command(_ command: ScriptCommand, _ chain: inout ScriptMACChain) -> [UInt8] {
    let mac = chain.next(header: command.header, dataObject: command.dataObject)
    let data = command.dataObject + TLVNode(0x8E, mac.bigEndianOctets).encoded
    return command.header + [UInt8(truncatingIfNeeded: data.count)] + data
  }
}

extension ScriptCommand {
  /// CLA INS P1 P2 in secure messaging format 1: bits 4 and 3 of the class state that the MAC covers the header.
  fileprivate var header: [UInt8] {
    switch self {
    case .blockApplication: [0x8C, 0x1E, 0x00, 0x00]
    case .unblockApplication: [0x8C, 0x18, 0x00, 0x00]
    case .blockCard: [0x8C, 0x16, 0x00, 0x00]
    case .putData(let tag, _): [0x8C, 0xDA] + ([0x00, 0x00] + tag.encoded).suffix(2)
    }
  }

  /// The data object 81 with the command's data; empty for a command without data.
  fileprivate var dataObject: [UInt8] {
    if case .putData(_, let value) = self { TLVNode(0x81, value).encoded } else { [] }
  }
}

extension TestIssuer {
  /// Sends a script with the response to the next genuine payment of a card, after those that wait already.
  public func order(_ order: ScriptOrder, accountNumber: PrimaryAccountNumber, sequenceNumber: UInt8?) {
    orders.withLock {
      $0[CardNumber(accountNumber: accountNumber, sequenceNumber: sequenceNumber ?? 0), default: []].append(order)
    }
  }

  /// Returns the scripts that wait for a card and takes them from the queue: templates 71 and 72, empty without any.
  ///
  /// - Parameter data: Returns the terminal's value of a tag, or nil; the cryptogram was checked before.
  public func takeScripts(
    accountNumber: PrimaryAccountNumber, sequenceNumber: UInt8?, data: (Tag) -> [UInt8]?
  ) -> [UInt8] {
    let card = CardNumber(accountNumber: accountNumber, sequenceNumber: sequenceNumber ?? 0)
    guard let cryptogram = data(.applicationCryptogram).flatMap({ UInt64(bigEndian: $0) }),
      let counter = data(.applicationTransactionCounter).flatMap({ UInt16(bigEndian: $0) }),
      let account = account(of: card), let waiting = orders.withLock({ $0.removeValue(forKey: card) })
    else { return [] }
    return issuer.scripts(waiting, for: account, cryptogram: cryptogram, counter: counter)
  }

  /// Returns the key of a card for the integrity of scripts.
  public func cardScriptKey(of account: IssuerAccount) -> Secret { issuer.cardScriptKey(of: account) }
}
