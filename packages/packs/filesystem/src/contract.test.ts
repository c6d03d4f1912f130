import { packContract } from "@toolpacks/testkit";
import { filesystemExamples, filesystemUnderTest } from "./pack.fixture.ts";

packContract(filesystemUnderTest, { examples: filesystemExamples });
