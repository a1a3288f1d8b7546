public import DeviceAuthentication
internal import Glibc
internal import Octets
internal import POSIX
public import ProcessGuard

/// The checks of this process: a tracer, a preloaded library, executable memory of other files, imported functions, the
/// code in memory, and the threads of instrumentation tools.
///
/// Each check also looks at a control, which it must find: a check whose code was changed to find nothing is found so,
/// and the change itself by the checks of the code. In a build with the trait `DebugFlavour` there are no findings.
///
/// Files that root alone can write are trusted. In a folder that only its owner can write, the program and the libraries
/// of the Swift runtime are trusted too; `ownerFolder` reports such a folder. A program without a seal trusts them also
/// in a folder that further users can write, which `remarks` reports. A trusted file stays trusted after it was replaced,
/// as an upgrade does: the code in memory is still the former one.
public struct ProcessIntegrity: DeviceIntegrity {
  private let directory: String
  private let writers: @Sendable (String) -> FileWriters
  private let refusesOwnerFolder: Bool
  private let refused: Set<Surrounding>
  private let trusted: TrustedMappings
  let reaction: TamperingReaction

  /// Describes the checks.
  ///
  /// - Parameters:
  ///   - directory: The directory of the process.
  ///   - refusesOwnerFolder: Whether a program in a folder that another user than root can write is a finding.
  ///   - refused: The surroundings that are a finding; the others are only reported, by `remarks`.
  ///   - reaction: What happens when there is a finding; `findings` returns only after `.error`.
  public init(
    process directory: String = "/proc/self", refusesOwnerFolder: Bool = false, refused: Set<Surrounding> = [],
    reaction: TamperingReaction = .error
  ) {
    self.init(
      process: directory, refusesOwnerFolder: refusesOwnerFolder, refused: refused, reaction: reaction,
      writers: FileWriters.init(of:))
  }

  init(
    process directory: String, refusesOwnerFolder: Bool = false, refused: Set<Surrounding> = [],
    reaction: TamperingReaction = .error, writers: @escaping @Sendable (String) -> FileWriters
  ) {
    self.directory = directory
    self.refusesOwnerFolder = refusesOwnerFolder
    self.refused = refused
    self.reaction = reaction
    self.writers = writers
    trusted = directory == Self.ownDirectory ? .ofThisProcess : TrustedMappings()
  }

  private static let ownDirectory = "/proc/self"

  /// Runs the checks.
  public func findings() -> [IntegrityFinding] {
    #if DebugFlavour
      // A debugger and changed code are part of the work on a program.
      return []
    #else
      let owned = refusesOwnerFolder ? ownerFolder.map { [IntegrityFinding.writableProgram(folder: $0)] } ?? [] : []
      let findings = checks.flatMap { $0.run() } + owned + Self.surroundings(refused)
      reaction.react(to: findings)
      return findings
    #endif
  }

  private var checks: [IntegrityCheck] {
    [
      IntegrityCheck(
        name: "the tracer", findings: { checked("status", Self.tracer) },
        findsControl: { Self.tracer(in: "TracerPid:\t1") == [.tracer(process: 1)] }),
      IntegrityCheck(
        name: "the environment", findings: { preload },
        findsControl: { Self.preload(in: "LD_AUDIT=x\0") == [.preload(library: "x")] }),
      IntegrityCheck(
        name: "executable memory", findings: { checked("maps") { mappings(in: $0, program: program, records: true) } },
        findsControl: { mappings(in: "1-2 rwxp 0 0:0 0", program: "").count == 1 }),
    ] + (directory == Self.ownDirectory ? [.libraries, .functions, .text, .seal, .threads] : [])
  }

  /// The folder of the program, when its owner is not root and only the owner can write it; otherwise nil.
  public var ownerFolder: String? {
    let program = program
    return writers(program) == .owner ? Self.folder(of: program) : nil
  }

  private static func surroundings(_ refused: Set<Surrounding>) -> [IntegrityFinding] {
    guard !refused.isEmpty else { return [] }
    let surroundings = Surroundings()
    return surroundings.present.filter(refused.contains).map { .refusedSurrounding(surroundings.clause(for: $0)) }
  }

  /// What weakens the protection of this process without being a sign of tampering: a clause for each.
  public static var remarks: [String] {
    let surroundings = Surroundings()
    let seal =
      LoadedCode.sealedDigest == nil ? ["this program has no seal, so that a change of its file is not found"] : []
    return seal + writableFile + replacedFiles.map(remark(replaced:))
      + surroundings.present.map { "this program \(surroundings.clause(for: $0))" }
  }

  /// The first file of the program or of its runtime that further users can write.
  private static var writableFile: [String] {
    let strict = ProcessIntegrity(refusesOwnerFolder: true)
    let findings = strict.mappings(in: SmallFile.text("\(ownDirectory)/maps") ?? "", program: strict.program)
    let first = findings.first { if case .writableFile = $0 { true } else { false } }
    return first.map { [$0.description] } ?? []
  }

  /// The files with code of this process that were replaced after the first scan, as an upgrade does.
  static var replacedFiles: [String] { TrustedMappings.ofThisProcess.replaced }

  /// A clause that says what to do.
  static func remark(replaced file: String) -> String {
    "\(file) was replaced, as an upgrade does; restart this program to use the new one"
  }

  // A process that cannot be dumped cannot read the file of its own environment.
  private var preload: [IntegrityFinding] {
    guard directory == Self.ownDirectory, let environment = ProcessProtection.startEnvironment else {
      return checked("environ", Self.preload)
    }
    return Self.preload(in: environment)
  }

  private static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/"
  }

  private func checked(_ name: String, _ check: (String) -> [IntegrityFinding]) -> [IntegrityFinding] {
    guard let text = SmallFile.text("\(directory)/\(name)") else {
      return [.unchecked("\(directory)/\(name) cannot be read")]
    }
    return check(text)
  }

  static func tracer(in status: String) -> [IntegrityFinding] {
    guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("TracerPid:") }),
      let process = line.split(whereSeparator: \.isWhitespace).last.flatMap({ Int32($0) })
    else { return [.unchecked("the status of the process names no tracer")] }
    return process == 0 ? [] : [.tracer(process: process)]
  }

  // The environment at the start: a library can remove the variable from the present one.
  static func preload(in environment: String) -> [IntegrityFinding] {
    // Each variable ends with a zero.
    let variables = environment.split(separator: "\0", omittingEmptySubsequences: false).dropLast()
    let preloads = ["LD_PRELOAD=", "LD_AUDIT="].flatMap { name in
      variables.filter { $0.hasPrefix(name) && $0 != name }.map {
        IntegrityFinding.preload(library: String($0.dropFirst(name.count)))
      }
    }
    // A library that wipes the environment leaves bytes that are no variables.
    return preloads + (variables.allSatisfy { $0.contains("=") } ? [] : [.changedEnvironment])
  }

  /// - Parameter records: Whether the trusted files stay trusted after they are replaced.
  func mappings(in maps: String, program: String, records: Bool = false) -> [IntegrityFinding] {
    var present: Set<MappedFile> = []
    var findings: [IntegrityFinding] = []
    for line in maps.utf8.split(separator: UInt8(ascii: "\n")) {
      guard let mapping = ExecutableMapping(line) else { continue }
      if let finding = finding(in: mapping, program) {
        findings.append(finding)
      } else if let file = mapping.file {
        present.insert(file)
      }
    }
    if records { trusted.replace(with: present) }
    return findings
  }

  private func finding(in mapping: ExecutableMapping, _ program: String) -> IntegrityFinding? {
    if mapping.isOfKernel { return nil }
    guard let file = mapping.file, !mapping.isWritable else { return .foreignMapping(mapping.name) }
    // Its inode is not used again while it is mapped.
    guard !file.isReplaced else { return trusted.contains(file) ? nil : .foreignMapping(mapping.name) }
    switch writers(file.path) {
    case .root: return nil
    case .owner: return writers(program) != .root && isOwn(file.path, program) ? nil : .foreignMapping(mapping.name)
    case .others:
      // Its user has built a program without a seal, and can change it anyway.
      let isBuilt = !refusesOwnerFolder && LoadedCode.sealedDigest == nil
      return isBuilt && isOwn(file.path, program) ? nil : .writableFile(file.path)
    }
  }

  /// Whether a file is the program, or a library of the Swift runtime beside it or of the toolchain that built it.
  private func isOwn(_ file: String, _ program: String) -> Bool {
    let folder = Self.folder(of: file)
    let isRuntime = Self.runtimeNames.contains { file.dropFirst(folder.count).hasPrefix($0) }
    if folder == Self.folder(of: program) { return file == program || isRuntime }
    return isRuntime && isOfToolchain(file, program)
  }

  /// Whether a library of the Swift runtime belongs to the toolchain with which the owner has built the program. A
  /// program of a package has a seal, and its runtime is elsewhere.
  private func isOfToolchain(_ file: String, _ program: String) -> Bool {
    guard directory == Self.ownDirectory, LoadedCode.sealedDigest == nil else { return false }
    let owners = [file, program].map { try? FileStatus(of: $0).owner }
    return owners[0] != nil && owners[0] == owners[1]
  }

  /// How the names of the libraries of the Swift runtime begin, which an installation puts beside the program.
  private static let runtimeNames = [
    "libswift", "libFoundation", "lib_Foundation", "libdispatch.", "libBlocksRuntime.",
  ]

  /// The path of the program, also of one whose file was replaced; empty when it cannot be read.
  private var program: String {
    var room = [CChar](repeating: 0, count: 4096)
    // The kernel writes at most as many bytes as the array has.
    let count = unsafe readlink("\(directory)/exe", &room, room.count)
    guard count > 0 else { return "" }
    let path = String(decoding: room.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return MappedFile.withoutMark(path) ?? path
  }
}
