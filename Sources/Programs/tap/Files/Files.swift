import EMVCard
import EMVDecoding
import EMVTerminal
import Foundation
import Links

/// A file that cannot be read or written, with the reason.
struct FileError: Error, CustomStringConvertible {
  let description: String
}

extension FileError {
  /// The system's text for an error, such as "No such file or directory".
  static func reason(_ error: any Error) -> String {
    let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error
    guard let cause = cause.map({ $0 as NSError }), cause.domain == NSPOSIXErrorDomain else {
      return error.localizedDescription
    }
    return systemErrorText(Int32(truncatingIfNeeded: cause.code))
  }
}

enum Files {
  /// The list that names cards by their answers to reset, from the package pcsc-tools; nil where it is not installed.
  static func cardNames() -> CardNameList? {
    (try? read("/usr/share/pcsc/smartcard_list.txt")).map(CardNameList.init(parsing:))
  }

  /// No input of the program is larger than this: 64 MiB.
  static let maximumCount = 67_108_864

  /// The whole content of a file, a pipe or a device, within the limit.
  static func read(_ path: String) throws -> [UInt8] {
    do {
      return try read(FileHandle(forReadingFrom: URL(filePath: path)), named: path)
    } catch let error as FileError {
      throw error
    } catch {
      throw FileError(description: "\(path) cannot be read: \(FileError.reason(error))")
    }
  }

  /// The content of a file of text, without the byte order mark that some editors put before it.
  static func text(_ path: String) throws -> [UInt8] {
    let octets = try read(path)
    return octets.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(octets.dropFirst(3)) : octets
  }

  /// All of standard input, within the limit.
  static func standardInput() throws -> [UInt8] {
    do {
      return try read(.standardInput, named: "standard input")
    } catch let error as FileError {
      throw error
    } catch {
      throw FileError(description: "standard input cannot be read: \(FileError.reason(error))")
    }
  }

  private static func read(_ file: FileHandle, named name: String) throws -> [UInt8] {
    var octets: [UInt8] = []
    while let part = try file.read(upToCount: 1 << 20), !part.isEmpty {
      octets += part
      guard octets.count <= maximumCount else {
        throw FileError(description: "\(name) has too many octets: the limit is \(maximumCount)")
      }
    }
    return octets
  }

  /// A card from a profile or a personalisation file. Writes notes about the file's syntax and an unused fault plan.
  static func card(_ path: String) throws -> CardImage { try card(path, faults: false) }

  /// A card, with or without its faults asked for.
  static func card(_ path: String, faults: Bool) throws -> CardImage {
    let json = try profile(path, tellsAll: true)
    return try naming(path) {
      let image = try CardImage(json: json)
      if !faults, let count = try CardProfile(json: json).faults?.count, count > 0 {
        Console.note(
          "\(path) has a fault plan (\(count) \(count == 1 ? "rule" : "rules")), which is off: --faults of tap present and tap accept asks for it."
        )
      }
      return image
    }
  }

  /// The JSON of a profile, or of the profile that a personalisation file makes.
  static func profile(_ path: String, tellsAll: Bool = false) throws -> [UInt8] {
    let octets = try text(path)
    guard PersonalisationFile.recognises(octets) else { return octets }
    return try naming("\(path), no JSON and so taken for data groupings") {
      let card = try PersonalisedCard(PersonalisationFile(parsing: octets))
      if tellsAll { card.notices.forEach { Console.note("\(path): \($0)") } }
      return card.profile.json
    }
  }

  /// The fault plan of a card.
  static func faultPlan(_ path: String) throws -> CardFaultPlan {
    let json = try profile(path)
    return try naming(path) {
      if let plan = try CardFaultPlan(of: CardProfile(json: json)) { return plan }
      throw FileError(description: "--faults needs a fault plan, \"faults\", in the card profile")
    }
  }

  private static func naming<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch {
      throw FileError(description: "\(path): \(error)")
    }
  }
}
