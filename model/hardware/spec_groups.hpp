// The nested groups of a specification file -> flat, dotted constants.
#pragma once

#include "warpline/diagnostics/strict_yaml.hpp"
#include "warpline/hardware/spec_file.hpp"

namespace warpline {

/// Reads the section `constants` into `file`. source, confidence and note of a group hold for all
/// below it that do not say otherwise.
void read_constants(const YamlNode& section, SpecFile& file, DiagnosticSink& sink);

/// Reads the section `instructions`: a map with unit, rate, latency, smem or issue is an
/// instruction, any other a group of them.
void read_instructions(const YamlNode& section, SpecFile& file, DiagnosticSink& sink);

}  // namespace warpline
