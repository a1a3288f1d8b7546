import Foundation
import ISO7816
public import Links
import Octets
import Testing

/// The readers that are attached to this machine and may be used by tests, from the environment.
///
/// ```
/// CONTACTLESS_READER=pcsc:NAME | nfc:CONNSTRING    a reader with a contactless card on it
/// CONTACTLESS_TARGET=nfc:CONNSTRING                a second NFC device, antenna to antenna with the first one
/// ```
///
/// `tap` has the reader of the same variable as its default; the tests of `tap` unset it.
public enum AttachedHardware {
  /// The name of the attached reader of a kind, or nil when `CONTACTLESS_READER` names none of that kind.
  ///
  /// - Parameter prefix: `pcsc` or `nfc`.
  public static func reader(_ prefix: String) -> String? { value(of: "CONTACTLESS_READER", prefix) }

  /// The name of the attached device that presents a card, or nil when `CONTACTLESS_TARGET` names none of that kind.
  public static func target(_ prefix: String) -> String? { value(of: "CONTACTLESS_TARGET", prefix) }

  private static func value(of variable: String, _ prefix: String) -> String? {
    guard let value = ProcessInfo.processInfo.environment[variable], value.hasPrefix(prefix + ":") else { return nil }
    return String(value.dropFirst(prefix.count + 1))
  }
}

/// What a reader must do with any contactless card that lies on it: a payment card, a transit card or a phone.
public enum HardwareContract {
  /// Opens channels to the card and exchanges commands with it.
  ///
  /// - Parameter open: Opens a channel to the card; it is called twice.
  public static func check<Channel: CardChannel & ~Copyable>(
    _ open: () throws(LinkError) -> Channel
  ) throws {
    let select = try CommandAPDU(parsing: ([0x00, 0xA4, 0x04, 0x00, 0x0E] + "2PAY.SYS.DDF01".utf8 + [0x00]).span)
    let unknown = try CommandAPDU(parsing: ([0x00, 0x99, 0x00, 0x00] as [UInt8]).span)
    var channel = try open()
    let identity = channel.identity
    #expect(identity.answerToReset.first == 0x3B || identity.answerToReset.first == 0x3F)
    let answer = try channel.exchange(select)
    for _ in 0..<20 { #expect(try channel.exchange(select) == answer) }
    #expect(try channel.exchange(unknown).status != .ok)
    channel.close()
    let closed = linkError { () throws(LinkError) in _ = try channel.exchange(select) }
    #expect(closed?.code == .cardRemoved)
    var second = try open()
    #expect(second.identity.protocolName == identity.protocolName)
    #expect(try second.exchange(select) == answer)
    second.close()
  }

  /// Exchanges every command of `ChannelContract` that fits with a card that responses them.
  public static func checkExchanges<Channel: CardChannel & ~Copyable>(
    _ channel: inout Channel, maximumCommandCount: Int, maximumResponseCount: Int
  ) throws {
    for exchange in ChannelContract.exchanges
    where exchange.command.count <= maximumCommandCount && exchange.response.count <= maximumResponseCount {
      #expect(try channel.exchange(exchange.apdu).encoded == exchange.response, "\(exchange)")
    }
  }
}
