import ArgumentParser
import Foundation
import PCSCReader

/// What a shell offers for READER and LINK.
enum ReaderCompletion {
  /// The words of READER: readers that are connected, and files and folders that can be one.
  ///
  /// - Parameters:
  ///   - typed: What is typed of the word.
  ///   - kinds: The kinds that the option takes.
  static func readers(after typed: String, _ kinds: [PlaceKind] = PlaceKind.all) -> [String] {
    words(
      kinds.flatMap { kind in
        let prefix = "\(kind.prefix):"
        let path = typed.hasPrefix(prefix) ? String(typed.dropFirst(prefix.count)) : ""
        return names(of: kind, path: path).map { prefix + $0 }
      })
  }

  /// The words of LINK.
  static func links() -> [String] {
    words(["loopback", "vpcd:127.0.0.1:35963"] + chips.map { "acr122:\($0)" } + serialPorts.map { "nfc:\($0)" })
  }

  /// Words as the shell takes them: zsh takes what follows a colon for a description.
  static func words(_ words: [String]) -> [String] {
    CompletionShell.requesting == .zsh ? words.map { $0.replacing(":", with: "\\:") } : words
  }

  private static func names(of kind: PlaceKind, path: String) -> [String] {
    switch kind.prefix {
    case "pcsc": connected
    case "acr122": chips
    case "nfc": serialPorts
    case "loopback": FileCompletion.paths(path, endingIn: [".json"], where: FileCompletion.mayBeCard)
    case "replay": FileCompletion.paths(path, endingIn: [".txt", ".tap"])
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
}

extension ReaderName {
  static var defaultCompletionKind: CompletionKind { .custom { _, _, typed in ReaderCompletion.readers(after: typed) } }
}

extension TestReader {
  static var defaultCompletionKind: CompletionKind {
    .custom { _, _, typed in
      ["loopback"] + ReaderCompletion.readers(after: typed, PlaceKind.all.filter { !$0.hasOwnCard })
    }
  }
}

extension LinkName {
  static var defaultCompletionKind: CompletionKind { .custom { _, _, _ in ReaderCompletion.links() } }
}
