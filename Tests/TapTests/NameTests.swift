import Foundation
import Testing

/// One name, one thing: the types of the package, found by their declarations.
@Suite("Names of types")
struct NameTests {
  /// Names with two meanings, with their targets and the reason. Programs may use one name each: nothing outside a program
  /// sees its types.
  static let exceptions: [String: (targets: Set<String>, reason: String)] = [
    "CardCommand": (
      ["EMV/EMVCard", "Programs/tap", "Programs/tap-server"],
      "the programs name the type of each command after its word, `card`; the card's type is not public"
    ),
    "ScriptCommand": (
      ["EMV/EMVData", "Programs/tap-server"],
      "the programs name the type of each command after its word, `script`; the element's name is that of EMV"
    ),
    "WalletSessionRecord": (
      ["Access/MobileAuthentication", "Server/ServerStore"],
      "each side stores its own record of a session; neither type is seen by the other side"
    ),
  ]

  /// Modules with a type of their own name, with the reason. Such a type hides its module: a file that imports
  /// both cannot write `Module.Type`.
  static let ownNames: [String: String] = [
    "HTTPSTransport": "the type is all that the module is for",
    "PaymentAcceptance":
      "users write the name of the type in the first line of a terminal, and no type of the module needs its prefix",
    "ReaderSimulator": "the type is all that the module is for",
    "WalletAccess":
      "users write the name of the type in the first line of a wallet, and no type of the module needs its prefix",
  ]

  @Test func `a type's name means one thing in the package`() throws {
    var targets: [String: Set<String>] = [:]
    for source in try SwiftSource.all() {
      for name in source.types { targets[name, default: []].insert(source.target) }
    }
    #expect(targets.count > 1_500)
    for (name, targets) in targets.sorted(by: { $0.key < $1.key }) where targets.count > 1 {
      if targets.allSatisfy({ $0.hasPrefix("Programs/") }) { continue }
      #expect(Self.exceptions[name]?.targets == targets, "\(name) is declared in \(targets.sorted())")
    }
    for name in Self.exceptions.keys { #expect((targets[name] ?? []).count > 1, "\(name) needs no exception") }
  }

  @Test func `a module has no type of its own name`() throws {
    let named = try SwiftSource.all().filter { source in
      source.target.split(separator: "/").last.map { source.types.contains(String($0)) } ?? false
    }
    let modules = named.compactMap { $0.target.split(separator: "/").last.map(String.init) }
    #expect(Set(modules) == Set(Self.ownNames.keys))
  }

  @Test func `the reader of sources leaves out comments, texts and members`() {
    let text = ##"""
      // Comment
      /* Comment /* Inner */ Comment */
      struct Card { struct Inner {}; let other: Other.Member = "Text \(Used("}")) Text"; var inner: Inner }
      private enum Hidden {}
      extension Card { static let range = 0...Limit.last; let raw = #"Text \(Text) \#(Raw.self) "Text""# }
      let lines = """
        Text "Text" \(Lines.all) Text
        """
      public protocol Port {}
      """##
    let source = SwiftSource(path: "Wing/Target/Folder/Card.swift", Array(text.utf8))
    #expect(source.types == ["Card", "Port"])
    #expect(source.uses == ["Other", "Used", "Limit", "Raw", "Lines"])
    #expect(source.target == "Wing/Target")
    #expect(source.folder == "Wing/Target/Folder")
  }
}
