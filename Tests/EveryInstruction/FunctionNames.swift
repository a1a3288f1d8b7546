import Foundation

/// The functions of this program by their addresses in a process whose addresses are fixed.
struct FunctionNames {
  private var functions: [(address: UInt64, name: String)] = []

  /// Asks nm and `swift demangle`. Without them no address has a name.
  init(of process: pid_t) {
    let maps = (try? String(contentsOfFile: "/proc/\(process)/maps", encoding: .utf8)) ?? ""
    guard let base = maps.split(separator: "-").first.flatMap({ UInt64($0, radix: 16) }) else { return }
    let shell = Process()
    let pipe = Pipe()
    shell.executableURL = URL(filePath: "/bin/sh")
    shell.arguments = ["-c", "nm -n --defined-only /proc/\(process)/exe | swift demangle --simplified"]
    shell.standardOutput = pipe
    shell.standardError = FileHandle.nullDevice
    guard (try? shell.run()) != nil else { return }
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    shell.waitUntilExit()
    functions = text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ", maxSplits: 2)
      guard words.count == 3, words[1].lowercased() == "t", let offset = UInt64(words[0], radix: 16) else { return nil }
      return (base + offset, String(words[2]))
    }
  }

  /// The function at an address; nil for one of a library.
  func name(at address: UInt64) -> String? {
    guard let after = functions.firstIndex(where: { $0.address > address }), after > 0 else { return nil }
    return functions[after - 1].name
  }
}
