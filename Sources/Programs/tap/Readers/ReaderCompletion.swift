import ArgumentParser
import Foundation
import Links
import PCSCReader

/// What a shell offers for READER and LINK.
enum ReaderCompletion {
  /// The words of READER: readers that are connected, and files in the working directory that can be one.
  ///
  /// - Parameter kinds: The kinds that the option takes.
  static func readers(_ kinds: [ReaderKind] = ReaderKind.all) -> [String] {
    words(kinds.flatMap { kind in names(of: kind).map { "\(kind.prefix):\($0)" } })
  }

  /// The words of LINK.
  static func links() -> [String] {
    words(["loopback", "vpcd:127.0.0.1:35963"] + chips.map { "acr122:\($0)" } + serialPorts.map { "nfc:\($0)" })
  }

  /// Words as the shell takes them: zsh takes what follows a colon for a description.
  private static func words(_ words: [String]) -> [String] {
    CompletionShell.requesting == .zsh ? words.map { $0.replacing(":", with: "\\:") } : words
  }

  private static func names(of kind: ReaderKind) -> [String] {
    switch kind.prefix {
    case "pcsc": connected
    case "acr122": chips
    case "nfc": serialPorts
    case "loopback": files(ending: [".json"])
    case "replay": files(ending: [".txt", ".tap"])
    default: []
    }
  }

  /// A shell cannot show an error: without a reader service no reader is offered.
  private static var connected: [String] { (try? PCSCService.readers().map(\.name)) ?? [] }

  private static var chips: [String] { connected.filter { $0.contains("ACR122") } }

  /// The chips that a serial port may have, by the names of the ports alone: to find them would open every port.
  private static var serialPorts: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/dev")) ?? []
    return names.filter { $0.hasPrefix("ttyUSB") || $0.hasPrefix("ttyACM") }.sorted().map { "pn532_uart:/dev/\($0)" }
  }

  private static func files(ending endings: [String]) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: ".")) ?? []
    return names.filter { name in endings.contains { name.hasSuffix($0) } && !name.hasPrefix(".") }.sorted()
  }
}

extension ReaderName {
  static var defaultCompletionKind: CompletionKind { .custom { _, _, _ in ReaderCompletion.readers() } }
}

extension TestReader {
  static var defaultCompletionKind: CompletionKind {
    .custom { _, _, _ in ["loopback"] + ReaderCompletion.readers(ReaderKind.all.filter { !$0.hasOwnCard }) }
  }
}

extension LinkName {
  static var defaultCompletionKind: CompletionKind { .custom { _, _, _ in ReaderCompletion.links() } }
}
